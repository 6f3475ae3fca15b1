package dev.headgate.wire.session;

import dev.headgate.protocol.Effects;
import dev.headgate.protocol.SettingsText;
import dev.headgate.protocol.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one client, from its startup message and from later statements. A connection gets all of them when it
 * is leased ({@link Link#adoption}).
 *
 * <p>Settings of a transaction count once it has committed and are dropped if it is rolled back, as are those since a savepoint to
 * which it is rolled back ({@link PendingSettings}). Settings that the server reports ({@link Settings#CARRIED_BY_REPORT}) are always
 * known.
 *
 * <p>Used by one thread at a time.
 */
final class ClientSettings {

    /** Settings that never affect the meaning of a text; all others might. */
    private static final Set<String> WITHOUT_MEANING = Set.of(
            "application_name",
            "statement_timeout",
            "lock_timeout",
            "idle_in_transaction_session_timeout",
            "idle_session_timeout",
            "transaction_timeout",
            "work_mem");

    private static final long UNKNOWN = -1;

    /** The settings of the startup message, which RESET restores. As all maps here: lower-case name to command. */
    private final Map<String, String> startup;

    /** In the order in which they were set last: one may need the rights that a role set later has not. */
    private final Map<String, String> present;

    /** The settings of the current transaction. */
    private final PendingSettings pending = new PendingSettings();

    /** The transaction was rolled back to a savepoint that Headgate has not seen, so its settings are unknown. */
    private boolean doubtful;

    /**
     * A statement that changes a setting, or takes changes back, was sent, and its round is not answered. Until then the values that the
     * server reports are not known: it reports them at the end of the round.
     */
    private boolean setting;

    /** The bytes of what statements set that were sent and are not answered. */
    private long underway;

    /** Since the last ReadyForQuery. */
    private boolean failed;

    /** The statement that completes now has rolled back to a savepoint, and not everything. */
    private boolean toSavepoint;

    /** A setting changed while the client keeps its connection, and must be applied there. */
    private boolean changed;

    /** Replaces the application's name. */
    private @Nullable String holder;

    /** Cached {@link #scope}; dropped when a setting changes. */
    private @Nullable String scope;

    /** Cached size of {@link #present}, which is asked for in each round; {@link #UNKNOWN} after a change. */
    private long presentBytes = UNKNOWN;

    ClientSettings(Map<String, String> startup) {
        this.startup = roleLast(startup);
        this.present = new LinkedHashMap<>(this.startup);
    }

    private static Map<String, String> roleLast(Map<String, String> startup) {
        Map<String, String> ordered = new LinkedHashMap<>(startup);
        String role = ordered.remove(Settings.ROLE);
        if (role != null) {
            ordered.put(Settings.ROLE, role);
        }
        return Collections.unmodifiableMap(ordered);
    }

    /**
     * A digest of the settings that may affect how a text is read: statements keep it. Clients with the same scope may share
     * prepared statements. For example, DateStyle, TimeZone and client_encoding determine a literal's meaning during Parse.
     */
    String scope() {
        String known = scope;
        if (known == null) {
            List<String> commands = new ArrayList<>();
            new TreeMap<>(present).forEach((name, command) -> {
                if (!WITHOUT_MEANING.contains(name)) {
                    commands.add(command);
                }
            });
            known = Statement.Scope.digestOf(commands).intern();
            scope = known;
        }
        return known;
    }

    /**
     * Whether all settings are known: none was changed in a transaction that may still be rolled back, and no statement that
     * changes one is in progress.
     */
    boolean isCertain() {
        return pending.isEmpty() && !doubtful && !setting;
    }

    /**
     * A statement with these effects is about to be sent. From now on what it sets on a connection that others get is unknown: part of
     * it may count although a later part of its round fails. Once it has counted as a whole, it is known again ({@link #keep}).
     *
     * @param shared whether others get the connection without a reset
     */
    void sent(Effects effects, Link to, boolean shared) {
        setting |= effects.resetsAll()
                || !effects.settings().isEmpty()
                || !effects.parameters().isEmpty();
        underway += effects.size();
        if (effects.resetsAll() && !effects.discardsAll()) { // the server gets no DISCARD ALL
            to.settings.keySet().forEach(name -> doubt(name, to));
        }
        if (shared) {
            effects.settings().keySet().forEach(name -> doubt(name, to));
        }
    }

    private static void doubt(String name, Link to) {
        if (!Settings.CARRIED_BY_REPORT.contains(name)) {
            to.settings.put(name, "");
        }
    }

    /** About how many bytes all of them take: those that count, those that may count soon, and those that are being set. */
    long size() {
        if (presentBytes == UNKNOWN) {
            presentBytes = SettingsText.sizeOf(present);
        }
        return presentBytes + pending.size() + underway;
    }

    /** Whether the client would have more than so many with those that a statement is about to set. */
    boolean exceed(int most, Effects more) {
        if (present.size() + pending.count() + more.settings().size() <= most) {
            return false;
        }
        Set<String> names = new HashSet<>(present.keySet());
        pending.levels().forEach(level -> names.addAll(level.settings().keySet()));
        names.addAll(more.settings().keySet());
        return names.size() > most;
    }

    /** The settings that a connection gets, in the order in which they were set. */
    Map<String, String> present() {
        return present;
    }

    /** The client's connections use this application name instead of the client's own. */
    void showAs(String name) {
        holder = SettingsText.command("application_name", name);
        set("application_name", holder);
        presentChanged();
    }

    private void set(String name, String command) {
        present.remove(name);
        present.put(name, command);
    }

    private void presentChanged() {
        scope = null;
        presentBytes = UNKNOWN;
    }

    /** A statement with these effects was executed. Its {@link #completed CommandComplete} follows. */
    void executed(Effects effects) {
        pending.add(effects);
        effects.savepoint().ifPresent(savepoint -> {
            switch (savepoint.deed()) {
                case SET -> pending.begin(savepoint.name());
                case RELEASE -> pending.release(savepoint.name());
                case ROLL_BACK -> {
                    toSavepoint = true;
                    setting |= !pending.isEmpty();
                    doubtful |= !pending.rollBackTo(savepoint.name());
                }
            }
        });
    }

    void failed() {
        failed = true;
    }

    /** CommandComplete, with this tag. */
    void completed(String tag, Link to) {
        if (tag.equals("COMMIT")) { // whatever comes after it in the round
            count(to);
        } else if (tag.equals("ROLLBACK") && !toSavepoint) { // also by a COMMIT, where the transaction had failed
            setting |= !pending.isEmpty();
            pending.clear();
        }
        toSavepoint = false;
    }

    /** ParameterStatus. */
    void reported(String name, String value, Link to) {
        String command = to.reports(name, value);
        if (command != null) {
            String key = name.toLowerCase(Locale.ROOT);
            set(key, key.equals("application_name") && holder != null ? holder : command);
            presentChanged();
        }
    }

    /** ReadyForQuery. If the transaction has ended, its settings are committed or dropped. */
    void ready(boolean ended, Link to) {
        boolean undone = failed;
        failed = false;
        if (to.pipeline.isSettled()) {
            setting = false;
            underway = 0;
        }
        if (!ended) {
            return;
        }
        if (!undone) {
            count(to);
        }
        pending.clear();
        doubtful = false;
    }

    /** What is pending counts from now on. */
    private void count(Link to) {
        if (!pending.isEmpty()) {
            for (PendingSettings.Level each : pending.levels()) {
                if (each.resets()) {
                    reset(each.discards());
                }
                each.settings().forEach((name, command) -> keep(name, command, to));
            }
            changed = true;
            presentChanged();
        }
        pending.clear();
    }

    private void reset(boolean discards) {
        String role = discards ? null : present.get(Settings.ROLE);
        present.clear();
        present.putAll(startup);
        if (holder != null) {
            present.put("application_name", holder);
        }
        if (role != null) {
            present.put(Settings.ROLE, role);
        }
    }

    private void keep(String name, String command, Link to) {
        if (command.isEmpty()) {
            String first = startup.get(name);
            if (first != null) {
                set(name, first);
                to.settings.put(name, "");
            } else if (!Settings.CARRIED_BY_REPORT.contains(name)) {
                present.remove(name);
                if (doubtful) {
                    to.settings.put(name, "");
                } else {
                    to.settings.remove(name);
                }
            }
        } else if (!Settings.CARRIED_BY_REPORT.contains(name)) { // the server has reported the others
            set(name, command);
            to.settings.put(name, doubtful ? "" : command);
        }
    }

    /** Whether the kept connection needs the settings again. Reading it clears it. */
    boolean takeChanged() {
        boolean was = changed;
        changed = false;
        return was;
    }
}
