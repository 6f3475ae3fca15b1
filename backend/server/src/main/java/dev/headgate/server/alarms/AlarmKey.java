package dev.headgate.server.alarms;

import dev.headgate.engine.governor.PoolStatus.RaisedAlarm;
import dev.headgate.engine.governor.PoolStatus.Reach;
import org.jspecify.annotations.Nullable;

/**
 * What an alarm is about. Pools whose alarms have the same key show one and the same alarm.
 *
 * @param database of the domain, or the database itself; null for an alarm of the whole service
 * @param domain null for an alarm of a database or of the whole service
 */
record AlarmKey(
        Reach reach, @Nullable String database, @Nullable String domain, String code) {

    static AlarmKey of(String database, String domain, RaisedAlarm alarm) {
        return new AlarmKey(
                alarm.reach(),
                alarm.reach() == Reach.SERVICE ? null : database,
                alarm.reach() == Reach.DOMAIN ? domain : null,
                clean(alarm.code()));
    }

    /** PostgreSQL stores no NUL, and a policy may say anything. */
    static String clean(String text) {
        return text.replace('\0', '\uFFFD');
    }
}
