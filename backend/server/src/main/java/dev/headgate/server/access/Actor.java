package dev.headgate.server.access;

/**
 * The author of a request.
 *
 * @param name as shown in audit and markers
 * @param role what they may: "administrator" alone, so far
 */
public record Actor(String name, String role) {

    /** The bearer of the administrator's token. */
    public static final Actor ADMIN = new Actor("admin", "administrator");

    /** Headgate itself, where no request is being answered. */
    public static final Actor SYSTEM = new Actor("headgate", "system");
}
