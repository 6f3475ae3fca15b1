package dev.headgate.engine;

import dev.headgate.engine.connect.LedgerAudit;
import dev.headgate.engine.connect.ServerFacts;
import dev.headgate.engine.governor.Answer;
import dev.headgate.engine.governor.Health;
import dev.headgate.engine.governor.PoolStatus.RaisedAlarm;
import dev.headgate.engine.governor.StepTimes;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * One database at one instant.
 *
 * @param open places of the budget in use, each by one socket
 * @param audit the last comparison of the socket ledger with the open sockets, about a second old
 * @param steps how long the governor's steps take
 * @param unreachable why the database cannot be reached and since when; null if it can
 * @param answers of the policies of its own set
 * @param alarms of the database itself that stand, oldest first
 * @param facts the server's last facts about itself
 */
public record DatabaseStatus(
        String name,
        int budget,
        int open,
        LedgerAudit.Figures audit,
        StepTimes.Figures steps,
        Optional<Unreachable> unreachable,
        List<Answer> answers,
        List<RaisedAlarm> alarms,
        Optional<ServerFacts> facts) {

    /** Its state, which whatever shows a state of it shows. */
    public Health health() {
        return Health.ofDatabase(name, alarms);
    }

    /** A failure to connect. */
    public record Unreachable(String reason, Instant since) {}
}
