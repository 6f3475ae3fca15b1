package dev.headgate.server.alarms;

import dev.headgate.server.api.Cursors;
import java.time.Instant;
import java.util.UUID;

/**
 * An alarm's place in the list: open ones first, then by the time they began, newest first. An alarm that ends between two pages
 * may be listed twice, and none is left out.
 */
record AlarmPlace(boolean past, Instant since, UUID id) {

    static final Cursors<AlarmPlace> CURSORS = new Cursors<>("alarms", AlarmPlace::parse);

    private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999999999Z");

    static AlarmPlace of(LoggedAlarm alarm) {
        return new AlarmPlace(alarm.cleared() != null, alarm.since(), UUID.fromString(alarm.id()));
    }

    @Override
    public String toString() {
        return past + "|" + since + "|" + id;
    }

    private static AlarmPlace parse(String text) {
        String[] parts = text.split("\\|", -1);
        if (parts.length != 3) {
            throw new IllegalArgumentException("not three parts");
        }
        Instant since = Instant.parse(parts[1]);
        if (since.isBefore(Instant.EPOCH) || since.isAfter(LAST)) {
            throw new IllegalArgumentException("no time that the store can hold");
        }
        return new AlarmPlace(Boolean.parseBoolean(parts[0]), since, UUID.fromString(parts[2]));
    }
}
