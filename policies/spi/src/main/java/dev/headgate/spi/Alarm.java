package dev.headgate.spi;

/**
 * Something a person should look at, raised for as long as a policy's answer carries it.
 *
 * @param code a stable identifier ("cap-unattainable"); a code of more than {@value #LONGEST_CODE} characters is cut
 * @param message one sentence with figures; one of more than {@value #LONGEST_MESSAGE} characters is cut
 */
public record Alarm(String code, String message) implements Comparable<Alarm> {

    public static final int LONGEST_CODE = 100;
    public static final int LONGEST_MESSAGE = 1_000;

    public Alarm {
        code = Texts.cut(code, LONGEST_CODE);
        message = Texts.cut(message, LONGEST_MESSAGE);
    }

    @Override
    public int compareTo(Alarm other) {
        int byCode = code.compareTo(other.code);
        return byCode != 0 ? byCode : message.compareTo(other.message);
    }
}
