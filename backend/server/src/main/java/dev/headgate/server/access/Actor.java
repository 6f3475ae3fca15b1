package dev.headgate.server.access;

/**
 * The author of a request.
 *
 * @param name as the audit and markers show it
 * @param role "administrator", "client" for a client of a domain in its own requests, or "system"
 */
public record Actor(String name, String role) {

    /** The bearer of the administrator's token. */
    public static final Actor ADMIN = new Actor("admin", "administrator");

    /** Headgate itself, outside requests. */
    public static final Actor SYSTEM = new Actor("headgate", "system");
}
