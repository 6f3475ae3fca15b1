package dev.headgate.server.files;

import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import java.util.stream.Stream;

/**
 * The difference between files and the service.
 *
 * @param source the source that the files declare, or their name if they declare none or several
 * @param id of the diff: stays the same while the same changes would be made to the same state. An apply can be bound to it
 * @param applied whether the changes were made
 * @param changes in the order in which they are made
 * @param leftover objects of a declared source that are no longer in the files and stay nevertheless ("domain old")
 * @param warnings about settings that are allowed but probably not intended
 */
@Schema(name = "FilesAnswer")
record FilesAnswer(
        String source,
        String id,
        boolean applied,
        List<FileChange> changes,
        List<String> leftover,
        List<String> warnings) {

    private static final long CHANGE_BYTES = 500;
    private static final long DIFFERENCE_BYTES = 200;

    /** Bytes of memory for each character: the values, and the text that is made of them. */
    private static final long ROOM = 4;

    /** An estimate of the memory that it takes until it is written. */
    long bytes() {
        return changes.stream()
                        .mapToLong(change -> CHANGE_BYTES
                                + change.differences().stream()
                                        .mapToLong(FilesAnswer::bytes)
                                        .sum())
                        .sum()
                + Stream.concat(leftover.stream(), warnings.stream())
                        .mapToLong(text -> text.length() * ROOM)
                        .sum();
    }

    private static long bytes(FileChange.FileDifference difference) {
        return DIFFERENCE_BYTES
                + (long) (String.valueOf(difference.from()).length()
                                + String.valueOf(difference.to()).length())
                        * ROOM;
    }
}
