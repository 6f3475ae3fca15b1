package dev.headgate.server.limits;

/**
 * Counts the marks of a JSON text as it comes: the brackets, colons and commas outside of its strings. There is one for each value, so
 * they tell how many objects it becomes. Not safe for several threads.
 */
final class JsonMarks {

    private boolean inString;
    private boolean escaped;

    /** It is not UTF-8, where other characters have the bytes of quotes: marks count wherever they are. */
    private boolean wide;

    /** The marks in the next bytes. */
    int in(byte[] bytes, int offset, int count) {
        int marks = 0;
        for (int at = offset; at < offset + count; at++) {
            switch (bytes[at]) {
                case 0 -> wide = true;
                case '"' -> inString = !inString || escaped;
                case '{', '[', ':', ',' -> marks += inString && !wide ? 0 : 1;
                default -> {}
            }
            escaped = bytes[at] == '\\' && !escaped;
        }
        return marks;
    }
}
