package dev.headgate.server.sql;

/** Command tags (PostgreSQL documentation, "CommandComplete"): a command, perhaps an object id, and a number of rows. */
final class Tags {

    /** With more digits it is no number of rows that a server has counted. */
    private static final int MOST_DIGITS = 18;

    private Tags() {}

    /** "INSERT" of "INSERT 0 3". */
    static String command(String tag) {
        int end = tag.length();
        while (end > 0 && (Character.isDigit(tag.charAt(end - 1)) || tag.charAt(end - 1) == ' ')) {
            end--;
        }
        return tag.substring(0, end);
    }

    /** "CREATE" of "CREATE TABLE". */
    static String firstWord(String tag) {
        int end = tag.indexOf(' ');
        return end < 0 ? tag : tag.substring(0, end);
    }

    /** 3 of "INSERT 0 3"; -1 if the tag counts no rows. */
    static long rows(String tag) {
        int space = tag.lastIndexOf(' ');
        String last = tag.substring(space + 1);
        return last.isEmpty() || last.length() > MOST_DIGITS || !last.chars().allMatch(Character::isDigit)
                ? -1
                : Long.parseLong(last);
    }
}
