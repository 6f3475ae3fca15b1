package dev.headgate.server.sql;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A PostgreSQL connection URI. Its host is ignored: nothing is connected to that a caller names. Its text contains no password.
 *
 * @param database names the domain
 */
record ConnectionString(String user, String password, String database) {

    static final String HEADER = "Neon-Connection-String";

    private static final Pattern PARTS = Pattern.compile(
            "(?i:postgres|postgresql)://(?<user>[^:/?#]*):(?<password>[^/?#]*)@[^@/?#]*/(?<database>[^?#]+)(?:[?#].*)?",
            Pattern.DOTALL);

    private static final String FORM = HEADER + " must be postgresql://USER:PASSWORD@HOST/DOMAIN";

    /**
     * Reads it as the driver's own parser does, which is that of browsers (WHATWG URL): characters that a URI must encode may stand as
     * they are, such as {@code ^} in a password.
     *
     * @throws IllegalArgumentException if it is not one; the message does not contain the text
     */
    static ConnectionString parse(String text) {
        Matcher parts = PARTS.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException(FORM);
        }
        return new ConnectionString(
                decoded(parts.group("user")), decoded(parts.group("password")), decoded(parts.group("database")));
    }

    private static String decoded(String part) {
        try {
            return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) { // its message has a part of the text
            throw new IllegalArgumentException(FORM, null);
        }
    }

    @Override
    public String toString() {
        return "postgresql://" + user + ":***@/" + database;
    }
}
