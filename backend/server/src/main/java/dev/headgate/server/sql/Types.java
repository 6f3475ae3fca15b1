package dev.headgate.server.sql;

import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;
import org.postgresql.core.Oid;

/** The names of PostgreSQL's own types. */
final class Types {

    private Types() {}

    /** The name of a type; its object id where it is none of PostgreSQL's own. */
    static String name(int type) {
        String name = Oid.toString(type);
        return name.startsWith("<")
                ? Integer.toUnsignedString(type)
                : name.toLowerCase(Locale.ROOT).replace("_array", "[]");
    }

    /** The object id of a type by its name, or by the id itself. Empty if it is not known. */
    static Optional<Integer> id(String name) {
        try {
            return Optional.of(
                    name.chars().allMatch(Character::isDigit)
                            ? Integer.parseUnsignedInt(name)
                            : Oid.valueOf(name.toUpperCase(Locale.ROOT).replace("[]", "_ARRAY")));
        } catch (SQLException | NumberFormatException e) {
            return Optional.empty();
        }
    }
}
