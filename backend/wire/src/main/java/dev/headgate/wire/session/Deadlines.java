package dev.headgate.wire.session;

/**
 * How long a session may wait: for the server to answer Headgate's own commands, for a client that is silent or reads
 * nothing, and for the statement of a client that has gone. Only one of these is due at a time. Asks the surroundings for an
 * alarm at that instant.
 */
final class Deadlines {

    private final Rules rules;
    private final Tenure tenure;
    private final Life life;
    private final Leasing leasing;
    private final OwnAnswers own;
    private final Surroundings surroundings;

    private long lastEventNanos;
    private long armedNanos = Life.NEVER;

    Deadlines(Rules rules, Tenure tenure, Life life, Leasing leasing, OwnAnswers own, Surroundings surroundings) {
        this.rules = rules;
        this.tenure = tenure;
        this.life = life;
        this.leasing = leasing;
        this.own = own;
        this.surroundings = surroundings;
        this.lastEventNanos = surroundings.nanoTime();
    }

    /** One of the peers has sent or accepted something. */
    void heard() {
        lastEventNanos = surroundings.nanoTime();
    }

    /** Asks for an alarm if one is due before the one that was asked for. */
    void arm() {
        long due = due();
        if (due < armedNanos) {
            armedNanos = due;
            surroundings.wakeAt(due);
        }
    }

    /** The alarm that was asked for has come. */
    void disarm() {
        armedNanos = Life.NEVER;
    }

    private long due() {
        if (life.hasEnded()) {
            return Life.NEVER;
        }
        Errand ours = tenure.errand();
        if (ours != null) {
            return ours.deadlineNanos();
        }
        if (life.isLeaving()) {
            return life.dueNanos();
        }
        long timeout = timeoutNanos();
        return timeout == 0 || tenure.isAskedFor() ? Life.NEVER : lastEventNanos + timeout;
    }

    /** How long nothing may happen; 0 for no limit. */
    private long timeoutNanos() {
        return (tenure.mayIdle() ? rules.idleTimeout() : rules.transactionTimeout()).toNanos();
    }

    /** Does what is due now; nothing if the alarm came too early. */
    void enforce() {
        long now = surroundings.nanoTime();
        if (now < due()) {
            return;
        }
        if (tenure.errand() != null) {
            leasing.lost("it did not answer in time");
        } else if (life.isLeaving()) {
            if (!life.cancelsToLeave()) {
                leasing.release(false);
            }
        } else if (tenure.mayIdle()) {
            life.end("57P05", "the client was idle for longer than it may");
        } else if (own.out().size() > 0) { // it reads nothing, so it cannot be told
            life.hangUp();
        } else if (tenure.isClientsTurn()) {
            life.end("25P03", "the client was silent within a transaction for longer than it may");
        } else {
            lastEventNanos = now; // the server may work as long as it needs
        }
    }
}
