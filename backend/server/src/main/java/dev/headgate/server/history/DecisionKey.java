package dev.headgate.server.history;

import dev.headgate.server.api.Cursors;
import dev.headgate.server.api.DecisionJson;
import java.time.Instant;

/** A decision's place in the log, by its first time. It does not change when others are added or deleted. */
record DecisionKey(Instant time, String id) {

    static final Cursors<DecisionKey> CURSORS = new Cursors<>("decisions", DecisionKey::parse);

    private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999999999Z");

    static DecisionKey of(DecisionJson decision) {
        return new DecisionKey(decision.time(), decision.id());
    }

    @Override
    public String toString() {
        return time + "|" + id;
    }

    private static DecisionKey parse(String text) {
        int bar = text.indexOf('|');
        Instant time = Instant.parse(text.substring(0, Math.max(0, bar)));
        if (time.isBefore(Instant.EPOCH) || time.isAfter(LAST)) {
            throw new IllegalArgumentException("no time that the store can hold");
        }
        return new DecisionKey(time, text.substring(bar + 1));
    }
}
