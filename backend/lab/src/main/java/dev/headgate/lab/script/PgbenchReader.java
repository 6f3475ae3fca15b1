package dev.headgate.lab.script;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads a script of pgbench: statements that end with a semicolon, and the meta-commands {@code \set} and {@code \sleep}, one
 * a line. A backslash at the end of its line continues a meta-command. Used once.
 */
final class PgbenchReader {

    private static final Pattern SET = Pattern.compile("\\\\set\\s+([A-Za-z_][A-Za-z0-9_]*)\\s+(.+)", Pattern.DOTALL);
    private static final Pattern SLEEP = Pattern.compile("\\\\sleep\\s+(:\\w+|[0-9.]+)\\s*(us|ms|s)?");
    private static final Pattern NAME = Pattern.compile("\\\\(\\S*)");

    private final String text;
    private final Set<String> known;
    private final List<Step> steps = new ArrayList<>();
    private int at;
    private int begun;

    PgbenchReader(String text, Set<String> constants) {
        this.text = text.replace("\r\n", "\n");
        this.known = new HashSet<>(constants);
    }

    /** One statement, without meta-commands and without a beginning or an end of a transaction. */
    static Step single(String text, int line, Set<String> known) throws ScriptException {
        PgbenchReader reader = new PgbenchReader(text, known);
        reader.skipSpace();
        String sql = reader.statement();
        if (sql.isEmpty()) {
            throw new ScriptException(line, "the statement is empty");
        }
        reader.skipSpace();
        if (reader.at < reader.text.length()) {
            throw new ScriptException(line, "there is more after the semicolon; allowed is one statement");
        }
        if (control(sql) != Control.NONE) {
            throw new ScriptException(
                    line, "'" + sql + "' is not allowed here: several statements are one transaction by themselves");
        }
        return Statement.read(sql, line, known);
    }

    List<Step> steps() throws ScriptException {
        boolean statements = false;
        for (skipSpace(); at < text.length(); skipSpace()) {
            int line = line();
            if (text.charAt(at) == '\\') {
                steps.add(metaCommand(wholeLine(), line));
            } else {
                String sql = statement();
                statements |= !sql.isEmpty();
                step(sql, line);
            }
        }
        if (begun > 0) {
            throw new ScriptException(begun, "the transaction that begins here has no END");
        }
        if (!statements) {
            throw new ScriptException(1, "the script has no statement");
        }
        return steps;
    }

    private int line() {
        return 1 + Lexemes.lines(text, at);
    }

    private void step(String sql, int line) throws ScriptException {
        Control control = control(sql);
        switch (control) {
            case NONE -> {
                if (!sql.isEmpty()) {
                    steps.add(Statement.read(sql, line, known));
                }
            }
            case BEGIN -> {
                if (begun > 0) {
                    throw new ScriptException(line, "a transaction is begun already, in line " + begun);
                }
                begun = line;
                steps.add(new Step.Begin(line));
            }
            case COMMIT, ROLLBACK -> {
                if (begun == 0) {
                    throw new ScriptException(line, "there is no transaction that could end here");
                }
                begun = 0;
                steps.add(new Step.End(line, control == Control.COMMIT));
            }
            case UNSUPPORTED ->
                throw new ScriptException(
                        line, "'" + sql + "' is not supported; allowed are BEGIN, END, COMMIT and ROLLBACK alone");
        }
    }

    private enum Control {
        NONE,
        BEGIN,
        COMMIT,
        ROLLBACK,
        UNSUPPORTED
    }

    private static Control control(String sql) {
        String[] words = sql.strip().toUpperCase(Locale.ROOT).split("\\s+");
        boolean alone =
                words.length == 1 || (words.length == 2 && (words[1].equals("TRANSACTION") || words[1].equals("WORK")));
        return switch (words[0]) {
            case "BEGIN" -> alone ? Control.BEGIN : Control.UNSUPPORTED;
            case "START" -> alone && words.length == 2 ? Control.BEGIN : Control.UNSUPPORTED;
            case "END", "COMMIT" -> alone ? Control.COMMIT : Control.UNSUPPORTED;
            case "ROLLBACK", "ABORT" ->
                alone
                        ? Control.ROLLBACK
                        : words.length > 1 && words[1].equals("TO") ? Control.NONE : Control.UNSUPPORTED;
            default -> Control.NONE;
        };
    }

    private Step metaCommand(String command, int line) throws ScriptException {
        Matcher set = SET.matcher(command);
        if (set.matches()) {
            Expression expression = ExpressionReader.read(set.group(2), line, known);
            known.add(set.group(1));
            return new Step.Assignment(line, set.group(1), expression);
        }
        Matcher sleep = SLEEP.matcher(command);
        if (sleep.matches()) {
            long unitNanos = switch (sleep.group(2)) {
                case "us" -> 1_000;
                case "ms" -> 1_000_000;
                case null, default -> 1_000_000_000;
            };
            return new Step.Sleep(line, ExpressionReader.read(sleep.group(1), line, known), unitNanos);
        }
        Matcher name = NAME.matcher(command);
        String called = name.lookingAt() ? name.group(1) : "";
        throw new ScriptException(
                line,
                switch (called) {
                    case "set" -> "\\set needs a variable and an expression, such as \\set aid random(1, 100000)";
                    case "sleep" -> "\\sleep needs a number or a :variable, and us, ms or s, such as \\sleep 10 ms";
                    default -> "\\" + called + " is not supported; allowed are \\set and \\sleep";
                });
    }

    /** The rest of this line, with those that continue it. */
    private String wholeLine() {
        StringBuilder whole = new StringBuilder();
        while (true) {
            int end = text.indexOf('\n', at);
            String line = text.substring(at, end < 0 ? text.length() : end);
            at = end < 0 ? text.length() : end + 1;
            if (!line.endsWith("\\") || end < 0) {
                return whole.append(line).toString().strip();
            }
            whole.append(line, 0, line.length() - 1).append(' ');
        }
    }

    /** The statement that begins here, up to its semicolon or the end, which is passed. */
    private String statement() throws ScriptException {
        int begin = at;
        while (at < text.length() && text.charAt(at) != ';') {
            if (text.charAt(at) == '\\') {
                throw new ScriptException(
                        line(),
                        "a backslash is not expected in a statement; a meta-command stands on a line of its own");
            }
            int end = Lexemes.end(text, at, 1);
            at = end > at ? end : at + 1;
        }
        String sql = text.substring(begin, at).strip();
        at = Math.min(text.length(), at + 1);
        return sql;
    }

    /** Passes what lies between two statements: blanks and comments. */
    private void skipSpace() throws ScriptException {
        while (at < text.length()) {
            if (Character.isWhitespace(text.charAt(at))) {
                at++;
            } else if (text.startsWith("--", at) || text.startsWith("/*", at)) {
                at = Lexemes.end(text, at, 1);
            } else {
                return;
            }
        }
    }
}
