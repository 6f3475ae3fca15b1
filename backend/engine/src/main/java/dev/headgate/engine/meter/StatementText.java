package dev.headgate.engine.meter;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The beginning of the text that a connection executes or has executed last, with the lease that it belongs to. The text has
 * literals in it: show its fingerprint, never the text.
 *
 * <p>The connection's holder writes, any thread reads. A write copies into bytes that are allocated once for a connection, under
 * a lock that nobody else wants unless an operator looks: it costs some ten nanoseconds and no garbage.
 */
public final class StatementText {

    /** The most bytes that are kept. */
    public static final int MOST = 512;

    private byte @Nullable [] bytes;
    private int length;
    private @Nullable Object owner;

    /** Notes UTF-8 text of an owner. */
    public synchronized void note(Object by, byte[] text, int from, int to) {
        length = Math.min(MOST, Math.max(0, to - from));
        System.arraycopy(text, from, bytesOf(by), 0, length);
    }

    /** The same for a string. */
    public synchronized void note(Object by, String text) {
        byte[] into = bytesOf(by);
        int many = Math.min(MOST, text.length());
        int at = 0;
        while (at < many && text.charAt(at) < 0x80) {
            into[at] = (byte) text.charAt(at);
            at++;
        }
        length = at < many ? encoded(text, at, into) : at;
    }

    /** Writes the rest of a text as UTF-8 (RFC 3629, section 3), as many whole characters as fit. @return the length of all */
    private static int encoded(String text, int from, byte[] into) {
        int to = from;
        for (int at = from; at < text.length(); ) {
            int point = text.codePointAt(at);
            int size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
            if (to + size > MOST) {
                break;
            }
            if (size == 1) {
                into[to] = (byte) point;
            } else {
                into[to] = (byte) ((0xF00 >> size) | (point >> (6 * (size - 1))));
                for (int i = 1; i < size; i++) {
                    into[to + i] = (byte) (0x80 | ((point >> (6 * (size - 1 - i))) & 0x3F));
                }
            }
            to += size;
            at += Character.charCount(point);
        }
        return to;
    }

    /** Copies the text of an owner. @return how many bytes; 0 if none is known */
    synchronized int copy(Object by, byte[] into) {
        byte[] present = bytes;
        if (present == null || !by.equals(owner)) {
            return 0;
        }
        System.arraycopy(present, 0, into, 0, length);
        return length;
    }

    /** The text of an owner; null if none is known. From any thread. */
    public @Nullable String of(Object by) {
        byte[] into = new byte[MOST];
        int many = copy(by, into);
        return many == 0 ? null : new String(into, 0, many, StandardCharsets.UTF_8);
    }

    private byte[] bytesOf(Object by) {
        owner = by;
        byte[] present = bytes;
        if (present == null) {
            present = new byte[MOST];
            bytes = present;
        }
        return present;
    }
}
