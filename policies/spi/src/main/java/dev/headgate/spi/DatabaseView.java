package dev.headgate.spi;

import java.util.List;

/**
 * The database that a pool shares with its siblings.
 *
 * @param name the database's name
 * @param budget connections Headgate may open on it in all
 * @param open connections it has open now, counted at the sockets
 * @param domains every domain on it, including the one that is asking
 */
public record DatabaseView(String name, int budget, int open, List<Sibling> domains) {

    public DatabaseView {
        domains = List.copyOf(domains);
    }

    /** One domain's standing: {@code guaranteed} is 0 where it has none. */
    public record Sibling(String domain, Tier tier, int size, int inUse, int waiting, int guaranteed) {}
}
