package dev.headgate.server.access;

/**
 * The author of a request.
 *
 * @param name as the audit and markers show it
 * @param role "administrator", "reader", "client" for a client of a domain in its own requests, or "system"
 */
public record Actor(String name, String role) {

    /** The bearer of the administrator's token. */
    public static final Actor ADMIN = new Actor("admin", "administrator");

    /** The bearer of the reader's token. */
    public static final Actor READER = new Actor("reader", "reader");

    /** Headgate itself, outside requests. */
    public static final Actor SYSTEM = new Actor("headgate", "system");

    /** Whether it may look at everything and change nothing. */
    public boolean isReader() {
        return equals(READER);
    }
}
