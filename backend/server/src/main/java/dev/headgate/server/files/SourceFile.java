package dev.headgate.server.files;

import java.util.ArrayList;
import java.util.List;

/**
 * One file as text.
 *
 * @param name as messages show it ("pools/bank.yaml")
 */
record SourceFile(String name, String text) {

    /** A line that begins another file within one body. */
    static final String MARK = "# headgate-file: ";

    /**
     * Splits a body into files. Each begins after a line {@code # headgate-file: NAME}. A body without such a line is one file.
     *
     * @param source the name of the part before the first such line
     */
    static List<SourceFile> in(String body, String source) {
        List<SourceFile> files = new ArrayList<>();
        String name = source;
        StringBuilder text = new StringBuilder();
        for (String line : body.lines().toList()) {
            if (line.startsWith(MARK)) {
                files.add(new SourceFile(name, text.toString()));
                name = line.substring(MARK.length()).strip();
                text.setLength(0);
            } else {
                text.append(line).append('\n');
            }
        }
        files.add(new SourceFile(name, text.toString()));
        return List.copyOf(files);
    }
}
