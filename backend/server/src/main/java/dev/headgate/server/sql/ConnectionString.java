package dev.headgate.server.sql;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;

/**
 * A PostgreSQL connection URI. Its host is ignored: nothing is connected to that a caller names. Its text contains no password.
 *
 * @param database names the domain
 */
record ConnectionString(String user, String password, String database) {

    static final String HEADER = "Neon-Connection-String";

    private static final String FORM = HEADER + " must be postgresql://USER:PASSWORD@HOST/DOMAIN";

    /** @throws IllegalArgumentException if it is not one; the message does not contain the text */
    static ConnectionString parse(String text) {
        URI uri;
        try {
            uri = URI.create(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(FORM, null);
        }
        String scheme = uri.getScheme();
        String authority = uri.getRawAuthority();
        String path = uri.getRawPath();
        if (scheme == null || !(scheme.equals("postgresql") || scheme.equals("postgres")) || authority == null) {
            throw new IllegalArgumentException(FORM);
        }
        int at = authority.lastIndexOf('@');
        int colon = authority.indexOf(':');
        if (at < 0 || colon < 0 || colon > at || path == null || path.length() < 2) {
            throw new IllegalArgumentException(FORM);
        }
        return new ConnectionString(
                decoded(authority.substring(0, colon)),
                decoded(authority.substring(colon + 1, at)),
                decoded(path.substring(1)));
    }

    private static String decoded(String part) {
        return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return "postgresql://" + user + ":***@/" + database;
    }
}
