package dev.headgate.server.files;

import org.jspecify.annotations.Nullable;

/**
 * The options of a diff or an apply.
 *
 * @param name of the file or folder, for messages, and as owner if no source is declared
 * @param source for all documents that declare none; null for none
 * @param prune whether to delete objects of a declared source that are not in the files
 * @param origin decides which passwords the files may name
 */
record Terms(String name, @Nullable String source, boolean prune, Origin origin) {

    /** The pattern of names: as for sources, and with spaces. */
    static final String NAMES = "[\\p{L}\\p{N}._/@:+ -]{1,200}";

    static final String ALLOWED = "1 to 200 letters, digits, spaces and . _ / @ : + -";

    Source sourceOf(@Nullable String declared) {
        String given = declared != null ? declared : source;
        return given != null ? new Source(given, true) : new Source(name, false);
    }
}
