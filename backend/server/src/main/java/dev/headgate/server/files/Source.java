package dev.headgate.server.files;

import dev.headgate.server.policies.ManagedSets.Owner;

/**
 * The owner of files.
 *
 * @param name the declared source, or the name of the file or folder
 * @param declared whether the files declare it; two teams may have files of the same name, so only objects of a declared source may be
 *     pruned
 */
record Source(String name, boolean declared) {

    /** The pattern of declared names. */
    static final String NAMES = "[\\p{L}\\p{N}._/@:+-]{1,200}";

    static final String ALLOWED = "1 to 200 letters, digits and . _ / @ : + -";

    private static final String PREFIX = "files: ";

    /** The owner of its policy sets. */
    Owner owner() {
        return new Owner(PREFIX + name, declared);
    }

    static Source of(Owner owner) {
        return new Source(owner.name().substring(PREFIX.length()), owner.declared());
    }

    /** The text after "managed by" in a sentence. */
    String told() {
        return PREFIX + name + (declared ? "" : " (no declared source)");
    }
}
