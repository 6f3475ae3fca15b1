package dev.headgate.protocol;

import dev.headgate.protocol.SqlScanner.Kind;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the state that a text leaves in its session, statement by statement. Each statement is read twice: completely, for
 * calls and temporary objects, and then its start, for commands.
 */
final class Reading {

    private static final Set<String> TRUE = Set.of("true", "t", "on");
    private static final Set<String> FALSE = Set.of("false", "f", "off");

    /** Settings of one transaction: outside of one they do nothing, and no other connection may get them. */
    private static final Set<String> OF_ONE_TRANSACTION =
            Set.of("transaction_isolation", "transaction_read_only", "transaction_deferrable");

    /** RESET ALL leaves it as it is (PostgreSQL's guc_tables.c, GUC_NO_RESET_ALL). */
    private static final String ROLE = "role";

    /** It cannot be reset, and a value of it means something only together with what was drawn since. */
    private static final String SEED = "seed";

    private static final String SET = "SET that cannot be repeated elsewhere";
    private static final String RESET = "RESET that cannot be repeated elsewhere";
    private static final String TEMPORARY = "a temporary table";
    private static final List<String> ON_COMMIT_DROP = List.of("on", "commit", "drop");

    private final CharSequence text;
    private final Map<String, String> settings = new LinkedHashMap<>();
    private final Map<String, Integer> parameters = new LinkedHashMap<>();
    private final Set<String> deallocated = new HashSet<>();
    private int statements;
    private boolean resetsAll;
    private boolean deallocates;
    private boolean hasVolatileLiteral;
    private boolean definesOrChanges;
    private boolean runsCode;
    private @Nullable String pinnedBy;
    private @Nullable Savepoint savepoint;

    private Reading(CharSequence text) {
        this.text = text;
    }

    static Effects of(CharSequence text) {
        Reading reading = new Reading(text);
        SqlScanner scanner = new SqlScanner(text);
        do {
            reading.statement(scanner);
        } while (scanner.kind() != Kind.END);
        return reading.effects();
    }

    private Effects effects() {
        return new Effects(
                statements,
                Collections.unmodifiableMap(settings),
                Collections.unmodifiableMap(parameters),
                resetsAll,
                deallocates,
                Collections.unmodifiableSet(deallocated),
                Optional.ofNullable(pinnedBy),
                Optional.ofNullable(savepoint),
                hasVolatileLiteral,
                definesOrChanges,
                runsCode);
    }

    private void pin(String why) {
        pinnedBy = pinnedBy == null ? why : pinnedBy;
    }

    // ---- the complete statement

    /** The words between CREATE or INTO and TEMP, and other facts about the previous tokens. */
    private static final class Before {
        boolean creates;
        boolean maybeTemporary;
        boolean insertOrMerge;

        /** The statement makes something temporary. */
        boolean temporary;

        /** How many of the words ON COMMIT DROP stand before this token; with all three of them what it makes ends with its transaction. */
        int ofOnCommitDrop;
    }

    /** Reads up to its semicolon. */
    private void statement(SqlScanner all) {
        if (isOver(all.next())) {
            return;
        }
        int start = all.start();
        definesOrChanges |= all.isWord("create") || all.isWord("alter") || all.isWord("drop") || all.isWord("import");
        Before before = new Before();
        int end;
        do {
            end = all.end();
            if (all.kind() == Kind.STRING) {
                hasVolatileLiteral = hasVolatileLiteral || mayMeanNow(all);
            }
            if (!all.isInBody()) {
                temporary(all, before);
                call(all);
                update(all);
            }
        } while (!isOver(all.next()));
        if (before.temporary && before.ofOnCommitDrop < ON_COMMIT_DROP.size()) {
            pin(TEMPORARY);
        }
        statements++;
        command(new SqlScanner(text, start, end), start, end);
    }

    private static boolean isOver(Kind kind) {
        return kind == Kind.END || kind == Kind.SEMICOLON;
    }

    private boolean mayMeanNow(SqlScanner literal) {
        int from = literal.start();
        int to = literal.end();
        return switch (text.charAt(from)) {
            case '\'' -> Glance.mayMeanNow(text, from + 1, to - 1, false);
            case '$' -> {
                int tag = Lexemes.afterTag(text, from, to);
                yield Glance.mayMeanNow(text, tag, to - (tag - from), false);
            }
            case 'e', 'E' -> Glance.mayMeanNow(text, from + 2, to - 1, true);
            default -> true; // U&'', which may use any escape character
        };
    }

    /** CREATE [OR REPLACE] [LOCAL | GLOBAL] TEMP, INTO [LOCAL | GLOBAL] TEMP, and the schema of temporary objects. */
    private void temporary(SqlScanner token, Before before) {
        boolean into = token.isWord("into") && !before.insertOrMerge;
        definesOrChanges |= into;
        before.temporary |= before.maybeTemporary && (token.isWord("temp") || token.isWord("temporary"));
        boolean begins = into || token.isWord("create");
        before.creates |= begins;
        before.maybeTemporary = begins
                || (before.maybeTemporary
                        && (token.isWord("or")
                                || token.isWord("replace")
                                || token.isWord("local")
                                || token.isWord("global")));
        before.insertOrMerge = token.isWord("insert") || token.isWord("merge");
        before.temporary |=
                before.creates && isTemporarySchema(token) && (token.following() == '.' || token.isEscaped());
        if (before.ofOnCommitDrop < ON_COMMIT_DROP.size()) {
            boolean next = token.isWord(ON_COMMIT_DROP.get(before.ofOnCommitDrop));
            before.ofOnCommitDrop = next ? before.ofOnCommitDrop + 1 : token.isWord("on") ? 1 : 0;
        }
    }

    private static boolean isTemporarySchema(SqlScanner token) {
        if (!token.mayBegin("pg_temp")) {
            return false;
        }
        String name = token.name();
        return name.equals("pg_temp") || name.startsWith("pg_temp_");
    }

    /** UPDATE of pg_settings is SET (PostgreSQL documentation, "pg_settings"). It cannot be repeated elsewhere: its rows are not known. */
    private void update(SqlScanner token) {
        if (!token.isWord("update")) {
            return;
        }
        SqlScanner target = new SqlScanner(text, token.end(), text.length());
        target.next();
        while (target.isWord("only") || target.isSymbol('(')) {
            target.next();
        }
        if (target.isName() && target.name().equals("pg_catalog") && target.following() == '.') {
            target.next();
            target.next();
        }
        if (target.isName() && (target.isEscaped() || target.name().equals("pg_settings"))) {
            pin("UPDATE of pg_settings");
        }
    }

    private void call(SqlScanner token) {
        if (!token.mayBegin("pg_") && !token.mayBegin("set_config")) {
            return;
        }
        String name = token.name();
        if (name.startsWith("pg_advisory_lock") || name.startsWith("pg_try_advisory_lock")) {
            pin("an advisory lock of the session");
        } else if (name.equals("set_config")) {
            boolean known = token.following() == '(' ? setConfig(token.end()) : !token.isEscaped();
            if (!known) {
                pin("set_config that cannot be repeated elsewhere");
            }
        }
    }

    /**
     * A call that can be repeated on another connection, or that sets a value for its transaction only. Stops at the first
     * token that is not part of such a call, so that nested calls are not read repeatedly.
     */
    private boolean setConfig(int from) {
        SqlScanner call = new SqlScanner(text, from, text.length());
        call.next(); // the parenthesis
        call.next();
        String name = call.plainValue();
        if (name == null || !SettingsText.isName(name)) {
            return false;
        }
        call.next();
        if (!call.isSymbol(',')) {
            return false;
        }
        call.next();
        boolean literal = call.kind() == Kind.STRING;
        boolean parameter = call.kind() == Kind.PARAMETER && call.end() - call.start() <= 6;
        if (!literal && !parameter) {
            return false;
        }
        String value = call.written();
        if (value.startsWith("'") && value.indexOf('\\') >= 0) {
            return false; // means something else if standard_conforming_strings is off
        }
        if (!afterCast(call).isSymbol(',')) {
            return false;
        }
        call.next();
        String local = call.kind() == Kind.WORD ? call.name() : call.plainValue();
        if (local == null
                || !(TRUE.contains(local) || FALSE.contains(local))
                || !afterCast(call).isSymbol(')')) {
            return false;
        }
        String key = SettingsText.lower(name);
        if (FALSE.contains(local)) {
            if (OF_ONE_TRANSACTION.contains(key)) {
                return true;
            }
            if (key.equals(SEED)) {
                return false;
            }
            if (parameter) {
                parameters.put(key, Integer.parseInt(value.substring(1)));
            } else {
                settings.put(key, "SELECT pg_catalog.set_config('" + key + "', " + value + ", false)");
            }
            if (literal && key.equals("search_path")) {
                pinIfTemporary(value);
            }
        }
        return true;
    }

    /** Goes to the token after this one, or after the ::type that follows it. */
    private static SqlScanner afterCast(SqlScanner token) {
        token.next();
        if (token.isSymbol(':')) {
            token.next();
            if (token.isSymbol(':')) {
                token.next();
                if (token.isName()) {
                    token.next();
                }
            }
        }
        return token;
    }

    /** Pins if this search_path creates new tables in the schema of temporary tables. */
    private void pinIfTemporary(String path) {
        int from = 0;
        while (from < path.length() && "'\" \t\n".indexOf(path.charAt(from)) >= 0) {
            from++;
        }
        if (Lexemes.startsWith(path, from, path.length(), "pg_temp")) {
            pin(TEMPORARY);
        }
    }

    // ---- the start of the statement

    private void command(SqlScanner token, int start, int end) {
        if (token.next() != Kind.WORD) {
            return;
        }
        switch (token.name()) {
            case "set" -> set(token, start, end);
            case "reset" -> reset(token);
            case "discard" -> {
                token.next();
                if (token.isWord("all")) {
                    deallocates = true;
                    resetAll();
                    settings.clear();
                }
            }
            case "deallocate" -> deallocate(token);
            case "listen" -> pin("LISTEN");
            case "prepare" -> {
                token.next();
                boolean transaction = token.isWord("transaction");
                if (!transaction || token.next() != Kind.STRING) { // a statement may be named TRANSACTION
                    pin("PREPARE");
                }
            }
            case "load" -> pin("LOAD");
            case "do" -> runsCode = true;
            case "savepoint" -> {
                token.next();
                savepoint(Savepoint.Deed.SET, token);
            }
            case "release" -> {
                token.next();
                savepoint(Savepoint.Deed.RELEASE, afterSavepoint(token));
            }
            case "rollback" -> rollback(token);
            case "declare" -> declare(token);
            default -> {}
        }
    }

    /** ROLLBACK [WORK | TRANSACTION] TO [SAVEPOINT] name. All others roll back everything, as their command tag tells. */
    private void rollback(SqlScanner token) {
        token.next();
        if (token.isWord("work") || token.isWord("transaction")) {
            token.next();
        }
        if (token.isWord("to")) {
            token.next();
            savepoint(Savepoint.Deed.ROLL_BACK, afterSavepoint(token));
        }
    }

    /** Goes past the word SAVEPOINT, where it is not the name itself. */
    private static SqlScanner afterSavepoint(SqlScanner token) {
        if (token.isWord("savepoint") && token.following() != 0) {
            token.next();
        }
        return token;
    }

    private void savepoint(Savepoint.Deed deed, SqlScanner name) {
        if (name.isName()) {
            savepoint = new Savepoint(deed, name.name());
        }
    }

    /** DECLARE name ... CURSOR [WITH HOLD] FOR. */
    private void declare(SqlScanner token) {
        token.next();
        boolean with = false;
        while (token.next() == Kind.WORD && !token.isWord("for")) {
            if (with && token.isWord("hold")) {
                pin("a cursor WITH HOLD");
            }
            with = token.isWord("with");
        }
    }

    private void deallocate(SqlScanner token) {
        token.next();
        if (token.isWord("prepare") && token.following() != 0) {
            token.next();
        }
        if (token.isWord("all")) {
            deallocates = true;
        } else if (token.isName()) {
            deallocated.add(token.name());
        }
    }

    private void reset(SqlScanner token) {
        token.next();
        if (token.isWord("all")) {
            resetAll();
        } else if (token.isWord("transaction")) {
            return; // RESET TRANSACTION ISOLATION LEVEL
        } else if (token.isWord("session") && token.following() != '.') {
            token.next();
            authorization(token.isWord("authorization"), RESET);
        } else if (token.isWord("time") && token.following() != '.') {
            token.next();
            settings.put("timezone", "");
        } else if (token.isName()) {
            String name = setting(token);
            if (name.equals("session_authorization")) {
                authorization(true, RESET);
            } else {
                keep(name, "", RESET);
            }
        } else {
            pin(RESET);
        }
    }

    /** Takes note of a setting for other connections, if it can be carried to them. */
    private void keep(String name, String command, String why) {
        if (name.equals(SEED)) {
            pin(why);
        } else if (!OF_ONE_TRANSACTION.contains(name)) {
            settings.put(name, command);
        }
    }

    /** The session's user, which other connections do not know. Restoring the first user also removes the session's role. */
    private void authorization(boolean firstUser, String why) {
        if (firstUser) {
            settings.put(ROLE, "");
        } else {
            pin(why);
        }
    }

    private void resetAll() {
        resetsAll = true;
        settings.keySet().removeIf(name -> !name.equals(ROLE));
        parameters.keySet().removeIf(name -> !name.equals(ROLE));
    }

    private void set(SqlScanner token, int start, int end) {
        token.next();
        boolean qualified = token.following() == '.';
        if (!qualified && (token.isWord("local") || token.isWord("transaction") || token.isWord("constraints"))) {
            return;
        }
        if (!qualified && token.isWord("session")) {
            token.next();
            qualified = token.following() == '.';
            if (token.isWord("characteristics")) {
                pin(SET);
                return;
            }
            if (token.isWord("authorization")) {
                token.next();
                authorization(token.isWord("default"), SET);
                return;
            }
        }
        if (!token.isName()) {
            pin(SET);
            return;
        }
        String name = qualified ? null : special(token);
        if (name == null) {
            name = setting(token);
            if (!token.isSymbol('=') && !token.isWord("to")) {
                pin(SET); // FROM CURRENT gives another value on another connection
                return;
            }
            token.next();
        }
        value(name, token, text.subSequence(start, end).toString());
    }

    /** The setting for which SET has its own words, and goes to the token after them; null for other settings. */
    private static @Nullable String special(SqlScanner token) {
        if (token.kind() != Kind.WORD || token.following() == '=') {
            return null;
        }
        String name = switch (token.name()) {
            case "time" -> "timezone";
            case "xml" -> "xmloption";
            case "names" -> "client_encoding";
            case "schema" -> "search_path";
            case "role" -> "role";
            default -> null;
        };
        if (name == null) {
            return null;
        }
        boolean two = token.isWord("time") || token.isWord("xml");
        token.next();
        if (two) {
            token.next(); // ZONE, OPTION
        } else if (token.isWord("to")) {
            token.next(); // SET role TO: the setting's name
        }
        return name;
    }

    private void value(String name, SqlScanner token, String command) {
        boolean isDefault = token.isWord("default")
                || (name.equals("timezone") && token.isWord("local"))
                || (name.equals("client_encoding") && token.kind() == Kind.END);
        if (token.kind() == Kind.END && !isDefault) {
            pin(SET);
        } else if (name.equals("session_authorization")) {
            authorization(isDefault, SET);
        } else {
            keep(name, isDefault ? "" : command, SET);
            if (name.equals("search_path")) {
                pinIfTemporary(token.kind() == Kind.NAME ? token.name() : token.written());
            }
        }
    }

    /** A name of several parts in lower case. Goes to the token after it. */
    private static String setting(SqlScanner token) {
        StringBuilder name = new StringBuilder(SettingsText.lower(token.name()));
        while (token.next() == Kind.SYMBOL && token.isSymbol('.')) {
            token.next();
            if (token.isName()) {
                name.append('.').append(SettingsText.lower(token.name()));
            }
        }
        return name.toString();
    }
}
