package dev.headgate.wire.session;

import dev.headgate.protocol.Effects;
import dev.headgate.protocol.SettingsText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the statements of an open transaction have set, in levels: one for the transaction, and one for each of its savepoints, which
 * holds what was set since. A rollback to a savepoint empties its level and ends those above it; a release adds them to the level
 * below. So what is left at a COMMIT is what the server keeps (PostgreSQL documentation, "SAVEPOINT" and "SET"). Used by one thread at
 * a time.
 */
final class PendingSettings {

    /** Of a level, without its settings. */
    private static final int LEVEL = 128;

    /** What was set between two savepoints. */
    static final class Level {

        private final String savepoint;

        /** A RESET ALL or DISCARD ALL came before the settings. */
        private boolean resets;

        /** The reset is a DISCARD ALL, which the role does not survive. */
        private boolean discards;

        /** Lower-case name to command; an empty command for a RESET. */
        private final Map<String, String> settings = new LinkedHashMap<>(0);

        private Level(String savepoint) {
            this.savepoint = savepoint;
        }

        boolean resets() {
            return resets;
        }

        boolean discards() {
            return discards;
        }

        Map<String, String> settings() {
            return settings;
        }

        private boolean isEmpty() {
            return !resets && settings.isEmpty();
        }

        private void clear() {
            resets = false;
            discards = false;
            settings.clear();
        }

        private void reset(boolean discard) {
            resets = true;
            discards |= discard;
            settings.keySet().removeIf(name -> discard || !name.equals(Settings.ROLE));
        }

        private void add(Level above) {
            if (above.resets) {
                reset(above.discards);
            }
            settings.putAll(above.settings);
        }
    }

    /** From the transaction's own. Empty while nothing was set and there is no savepoint. */
    private final List<Level> levels = new ArrayList<>(0);

    /** Whether nothing is set. */
    boolean isEmpty() {
        for (Level each : levels) {
            if (!each.isEmpty()) {
                return false;
            }
        }
        return true;
    }

    /** From the first set to the last. */
    List<Level> levels() {
        return levels;
    }

    /** A statement has set this. */
    void add(Effects effects) {
        if (effects.resetsAll()) {
            top().reset(effects.discardsAll());
        }
        if (!effects.settings().isEmpty()) {
            top().settings.putAll(effects.settings());
        }
    }

    private Level top() {
        if (levels.isEmpty()) {
            levels.add(new Level(""));
        }
        return levels.getLast();
    }

    /** SAVEPOINT. A name may be used again: it then means the last of these savepoints. */
    void begin(String savepoint) {
        Level _ = top(); // the transaction's own
        levels.add(new Level(savepoint));
    }

    /** RELEASE. Nothing happens without such a savepoint. */
    void release(String savepoint) {
        int at = find(savepoint);
        while (at > 0 && levels.size() > at) {
            Level above = levels.removeLast();
            levels.getLast().add(above);
        }
    }

    /**
     * ROLLBACK TO.
     *
     * @return false without such a savepoint: then it is not known what was undone
     */
    boolean rollBackTo(String savepoint) {
        int at = find(savepoint);
        if (at <= 0) {
            return false;
        }
        levels.subList(at + 1, levels.size()).clear();
        levels.getLast().clear();
        return true;
    }

    /** The last one of this name; the transaction's own level is none. */
    private int find(String savepoint) {
        int at = levels.size() - 1;
        while (at > 0 && !levels.get(at).savepoint.equals(savepoint)) {
            at--;
        }
        return at;
    }

    /** The transaction has ended. */
    void clear() {
        levels.clear();
    }

    /** How many settings it has; one that was set in several levels counts in each. */
    int count() {
        int count = 0;
        for (Level each : levels) {
            count += each.settings.size();
        }
        return count;
    }

    /** About how many bytes it takes. */
    long size() {
        long size = 0;
        for (Level each : levels) {
            size += LEVEL + each.savepoint.length() + SettingsText.sizeOf(each.settings);
        }
        return size;
    }
}
