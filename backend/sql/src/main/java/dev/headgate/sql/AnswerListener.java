package dev.headgate.sql;

/** Receives the answers to a session's rounds, in order. On the session's loop: it must not block. */
@FunctionalInterface
public interface AnswerListener {

    /**
     * Takes the next answer.
     *
     * @return whether it takes more rows now. After false, no further row is read from the server until
     *     {@link SqlSession#resume}; what had already arrived may still come
     */
    boolean take(Answer answer);

    /** All answers that have arrived by now were taken. At most once a millisecond, but for the last of all rounds. */
    default void arrived() {}

    /** The answer to a round is still to come. Told {@value SqlSession#LOOKS_PER_SECOND} times a second, if it takes that long. */
    default void awaited() {}
}
