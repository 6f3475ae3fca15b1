package dev.headgate.server.api;

import java.util.Locale;

/** The owner of a policy set: one domain, or one database for all its domains together. */
public record Scope(Kind kind, String name) {

    /** The two kinds. */
    public enum Kind {
        DOMAIN,
        DATABASE;

        /** As written in the store, the audit and events. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public static Scope domain(String name) {
        return new Scope(Kind.DOMAIN, name);
    }

    public static Scope database(String name) {
        return new Scope(Kind.DATABASE, name);
    }

    /** As people write it: a domain's name; a database is "database/main". */
    public String label() {
        return kind == Kind.DOMAIN ? name : "database/" + name;
    }

    /** Its path in the API: "domains/bank". */
    public String path() {
        return kind.label() + "s/" + name;
    }
}
