package dev.headgate.spi;

/**
 * Something a person should look at, raised for as long as a policy's answer carries it.
 *
 * @param code a stable identifier ("cap-unattainable")
 * @param message one sentence with figures
 */
public record Alarm(String code, String message) implements Comparable<Alarm> {
    @Override
    public int compareTo(Alarm other) {
        int byCode = code.compareTo(other.code);
        return byCode != 0 ? byCode : message.compareTo(other.message);
    }
}
