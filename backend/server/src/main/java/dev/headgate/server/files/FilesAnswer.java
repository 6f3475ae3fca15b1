package dev.headgate.server.files;

import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;

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
        List<String> warnings) {}
