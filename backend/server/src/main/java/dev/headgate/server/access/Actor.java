package dev.headgate.server.access;

/**
 * The author of a request.
 *
 * @param name as the audit and markers show it
 * @param role only "administrator" so far
 */
public record Actor(String name, String role) {

    /** The bearer of the administrator's token. */
    public static final Actor ADMIN = new Actor("admin", "administrator");

    /** Headgate itself, outside requests. */
    public static final Actor SYSTEM = new Actor("headgate", "system");
}
