package dev.headgate.wire.session;

import dev.headgate.protocol.Effects;
import dev.headgate.protocol.SettingsText;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What one client has set, by its startup message and by what it executed since; a connection is given all of it when it
 * is leased ({@link Link#adoption}).
 *
 * <p>What a transaction sets is the client's once it has committed, and gone if it is rolled back. A rollback to a
 * savepoint undoes some of it, which cannot be told from outside: then the connection's settings count as unknown, and are
 * put in place again. Those that the server reports ({@link Settings#CARRIED_BY_REPORT}) are known at any time.
 *
 * <p>Used by one thread at a time.
 */
final class ClientSettings {

    /** Settings that decide nothing about what a text means; all others might. */
    private static final Set<String> WITHOUT_MEANING = Set.of(
            "application_name",
            "statement_timeout",
            "lock_timeout",
            "idle_in_transaction_session_timeout",
            "idle_session_timeout",
            "transaction_timeout",
            "work_mem");

    /** What the startup message set, and RESET goes back to; as all here by name in lower case, the command that makes it so. */
    private final Map<String, String> startup;

    private final Map<String, String> present;

    /** What the present transaction set; an empty command for a RESET. */
    private final Map<String, String> pending = new LinkedHashMap<>();

    private boolean pendingReset;

    /** Something in the present transaction was undone: what of its settings is left is not known. */
    private boolean doubtful;

    /** A statement was sent that sets something, and the server has not answered it. */
    private boolean setting;

    /** Since the last ReadyForQuery. */
    private boolean failed;

    private boolean rolledBack;

    /** Something was set while the connection stays: it is to be put in place there. */
    private boolean changed;

    /** What is to stand in place of the application's name. */
    private @Nullable String holder;

    /** {@link #scope}, until something is set. */
    private @Nullable String scope;

    ClientSettings(Map<String, String> startup) {
        this.startup = Map.copyOf(startup);
        this.present = new HashMap<>(startup);
    }

    /**
     * The settings that may decide how a text is read, as one text: who has the same ones may share prepared statements. Of
     * a literal's meaning, for one, DateStyle, TimeZone and client_encoding decide while the statement is prepared.
     */
    String scope() {
        String known = scope;
        if (known == null) {
            StringBuilder all = new StringBuilder();
            new TreeMap<>(present).forEach((name, command) -> {
                if (!WITHOUT_MEANING.contains(name)) {
                    all.append(command).append(';');
                }
            });
            known = all.toString().intern();
            scope = known;
        }
        return known;
    }

    /**
     * Whether all that is set is known: nothing was set in a transaction that may still be rolled back, and nothing that
     * sets anything is under way.
     */
    boolean isCertain() {
        return pending.isEmpty() && !pendingReset && !doubtful && !setting;
    }

    /** A statement that leaves this behind is about to be sent. */
    void sent(Effects effects) {
        setting |= effects.resetsAll()
                || !effects.settings().isEmpty()
                || !effects.parameters().isEmpty();
    }

    /** What a connection is to be given. */
    Map<String, String> present() {
        return present;
    }

    /** The client's connections go by this name, and not by the one it gives itself. */
    void showAs(String name) {
        holder = SettingsText.command("application_name", name);
        present.put("application_name", holder);
    }

    /** A statement was executed that leaves this behind. */
    void executed(Effects effects, Link to) {
        if (effects.resetsAll()) {
            pendingReset = true;
            pending.clear();
            if (!effects.deallocates()) {
                // the connection has no settings of a session any more, but only if this commits: they are not known;
                // DISCARD ALL it has not seen
                to.settings.replaceAll((name, command) -> "");
            }
        }
        pending.putAll(effects.settings());
    }

    void failed() {
        failed = true;
        doubtful = true;
    }

    /** CommandComplete, with this tag. */
    void completed(String tag) {
        rolledBack = tag.startsWith("ROLLBACK");
        doubtful |= rolledBack;
    }

    /** ParameterStatus. */
    void reported(String name, String value, Link to) {
        String command = to.reports(name, value);
        if (command != null) {
            String key = name.toLowerCase(Locale.ROOT);
            present.put(key, key.equals("application_name") && holder != null ? holder : command);
            scope = null;
        }
    }

    /** ReadyForQuery; what the transaction set is set, or is not, where it has ended. */
    void ready(boolean ended, Link to) {
        boolean undone = failed || rolledBack;
        failed = false;
        rolledBack = false;
        setting &= !to.pipeline.isSettled();
        if (!ended) {
            return;
        }
        if (!undone && (pendingReset || !pending.isEmpty())) {
            if (pendingReset) {
                present.clear();
                present.putAll(startup);
                if (holder != null) {
                    present.put("application_name", holder);
                }
            }
            pending.forEach((name, command) -> keep(name, command, to));
            changed = true;
            scope = null;
        }
        pending.clear();
        pendingReset = false;
        doubtful = false;
    }

    private void keep(String name, String command, Link to) {
        if (command.isEmpty()) {
            String first = startup.get(name);
            if (first != null) {
                present.put(name, first);
                to.settings.put(name, "");
            } else if (!Settings.CARRIED_BY_REPORT.contains(name)) {
                present.remove(name);
                if (doubtful) {
                    to.settings.put(name, "");
                } else {
                    to.settings.remove(name);
                }
            }
        } else if (!Settings.CARRIED_BY_REPORT.contains(name)) { // of those the server has reported what they are now
            present.put(name, command);
            to.settings.put(name, doubtful ? "" : command);
        }
    }

    /** Whether a connection that the client keeps is to be given the settings again; asked once. */
    boolean takeChanged() {
        boolean was = changed;
        changed = false;
        return was;
    }
}
