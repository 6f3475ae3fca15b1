package dev.headgate.server.files;

import dev.headgate.server.policies.ManagedSets.Owner;

/**
 * Whose files these are.
 *
 * @param name as it was declared, or the name of the file or folder
 * @param declared whether somebody has given it: two teams may well have files of the same name, so only a declared one
 *     tells what is left over and may be deleted
 */
record Source(String name, boolean declared) {

    /** What a declared name may be. */
    static final String NAMES = "[\\p{L}\\p{N}._/@:+-]{1,200}";

    static final String ALLOWED = "1 to 200 letters, digits and . _ / @ : + -";

    private static final String PREFIX = "files: ";

    /** Whom its policy sets belong to. */
    Owner owner() {
        return new Owner(PREFIX + name, declared);
    }

    static Source of(Owner owner) {
        return new Source(owner.name().substring(PREFIX.length()), owner.declared());
    }

    /** The sentence's part after "managed by". */
    String told() {
        return PREFIX + name + (declared ? "" : " (no declared source)");
    }
}
