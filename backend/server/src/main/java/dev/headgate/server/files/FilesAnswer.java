package dev.headgate.server.files;

import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;

/**
 * How files and the service compare.
 *
 * @param source the name under which files own what they have put in force
 * @param applied whether the changes have been made
 * @param changes in the order in which they are made
 * @param leftover what belongs to the source, is not in the files any more, and stays all the same ("domain old")
 * @param warnings what is allowed and yet hardly meant
 */
@Schema(name = "FilesAnswer")
record FilesAnswer(
        String source, boolean applied, List<FileChange> changes, List<String> leftover, List<String> warnings) {}
