package dev.headgate.engine.governor;

/**
 * A state in words. They are written once, where the state is found, and say what was so when it last held: whatever shows an alarm,
 * or a pool's state, shows these.
 *
 * @param label one to three words
 * @param sentence without a full stop; "for 2 min" may follow: "bank has been held at its latency cap"
 * @param past the same once it is over; "until 12 s ago" may follow: "bank was held at its latency cap"
 * @param detail what else is known, such as "connection refused"; empty where nothing is
 */
public record Words(String label, String sentence, String past, String detail) {

    /** @param state what follows "has been" and "was" */
    public static Words been(String label, String subject, String state, String detail) {
        return new Words(label, subject + " has been " + state, subject + " was " + state, detail);
    }

    /** Sentence and detail in one. */
    String inFull() {
        return detail.isEmpty() ? sentence : sentence + ": " + detail;
    }
}
