package dev.headgate.server.files;

import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;

/**
 * The difference between files and the service.
 *
 * @param source the source that the files declare, or their name where they declare none or several
 * @param id of the diff: the same as long as the same changes would be made to what is in force now. An apply can be bound to it
 * @param applied whether the changes have been made
 * @param changes in the order in which they are made
 * @param leftover what belongs to a declared source, is not in the files any more, and stays all the same ("domain old")
 * @param warnings what is allowed and yet hardly meant
 */
@Schema(name = "FilesAnswer")
record FilesAnswer(
        String source,
        String id,
        boolean applied,
        List<FileChange> changes,
        List<String> leftover,
        List<String> warnings) {}
