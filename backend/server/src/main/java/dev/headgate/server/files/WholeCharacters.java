package dev.headgate.server.files;

import java.io.Reader;

/**
 * Reads a text in pieces, none of which ends between the halves of a surrogate pair. The YAML parser (snakeyaml-engine 3.0.1) fills its
 * buffer, and has no place for the other half where the first one came last.
 */
final class WholeCharacters extends Reader {

    private final String text;
    private int at;

    WholeCharacters(String text) {
        this.text = text;
    }

    @Override
    public int read(char[] into, int offset, int length) {
        int count = Math.min(length, text.length() - at);
        if (count <= 0) {
            return length == 0 ? 0 : -1;
        }
        if (count > 1 && Character.isHighSurrogate(text.charAt(at + count - 1))) {
            count--;
        }
        text.getChars(at, at + count, into, offset);
        at += count;
        return count;
    }

    @Override
    public void close() {}
}
