package dev.headgate.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * The policy files at a path: one file, or a folder's {@code *.yaml} and {@code *.yml} in the order of their names.
 *
 * @param name the last part of the path, by which the files own what they put in force unless told otherwise
 * @param files at least one, each readable when it was looked at
 */
record SourceFiles(String name, List<Path> files) {

    /**
     * Finds the files at a path.
     *
     * @throws CommandFailed if there is nothing to read
     */
    static SourceFiles at(Path path) {
        if (!Files.isReadable(path)) {
            throw CommandFailed.notTried("there is no file or folder '" + path + "' that can be read");
        }
        List<Path> files = Files.isDirectory(path) ? in(path) : List.of(path);
        if (files.isEmpty()) {
            throw CommandFailed.notTried("there is no *.yaml or *.yml in the folder '" + path + "'");
        }
        Path last = path.toAbsolutePath().normalize().getFileName();
        return new SourceFiles(last == null ? "/" : last.toString(), files);
    }

    /** Joins the files to one body. A comment before each file names it, and the service uses that name in its answers. */
    byte[] joined() {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (Path file : files) {
            body.writeBytes(("---\n# headgate-file: " + file.getFileName() + "\n").getBytes(StandardCharsets.UTF_8));
            try {
                body.writeBytes(inUtf8(file));
            } catch (IOException e) {
                throw CommandFailed.notTried("'" + file + "' cannot be read");
            }
            body.write('\n'); // the last line may have no line end
        }
        return body.toByteArray();
    }

    /** The service could not say which of the joined files is not. */
    private static byte[] inUtf8(Path file) throws IOException {
        byte[] content = Files.readAllBytes(file);
        ByteBuffer bytes = ByteBuffer.wrap(content);
        CharBuffer text = CharBuffer.allocate(content.length);
        if (StandardCharsets.UTF_8.newDecoder().decode(bytes, text, true).isError()) {
            long line = 1 + text.flip().chars().filter(each -> each == '\n').count();
            throw CommandFailed.notTried("'" + file + "' is not UTF-8: see line " + line);
        }
        return content;
    }

    private static List<Path> in(Path folder) {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.filter(entry -> isSource(entry.getFileName().toString()) && Files.isRegularFile(entry))
                    .sorted((a, b) -> Arrays.compareUnsigned(bytesOf(a), bytesOf(b)))
                    .toList();
        } catch (IOException e) {
            throw CommandFailed.notTried("the folder '" + folder + "' cannot be read");
        }
    }

    private static boolean isSource(String name) {
        return !name.startsWith(".") && (name.endsWith(".yaml") || name.endsWith(".yml"));
    }

    /** Orders names by their bytes, so that the order is the same on every machine. */
    private static byte[] bytesOf(Path file) {
        return file.getFileName().toString().getBytes(StandardCharsets.UTF_8);
    }
}
