package dev.headgate.server.files;

import org.jspecify.annotations.Nullable;

/**
 * How files are meant.
 *
 * @param name of the file or folder, for messages, and for whom they belong to where no source is declared
 * @param source declared for all documents that declare none; null for none
 * @param prune whether what belongs to a declared source and is not in the files is to be deleted
 * @param origin decides which passwords the files may name
 */
record Terms(String name, @Nullable String source, boolean prune, Origin origin) {

    /** What a name may be: as a source's, and with spaces. */
    static final String NAMES = "[\\p{L}\\p{N}._/@:+ -]{1,200}";

    static final String ALLOWED = "1 to 200 letters, digits, spaces and . _ / @ : + -";

    Source sourceOf(@Nullable String declared) {
        String given = declared != null ? declared : source;
        return given != null ? new Source(given, true) : new Source(name, false);
    }
}
