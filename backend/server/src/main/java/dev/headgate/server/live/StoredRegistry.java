package dev.headgate.server.live;

import dev.headgate.server.domains.Domains;
import dev.headgate.server.domains.DomainsChanged;
import dev.headgate.server.policies.OwnersChanged;
import jakarta.annotation.PostConstruct;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.event.EventListener;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Component;

/** What the control store has of the domains. Held in memory, so that the feed's thread never waits for the store. */
@Component
class StoredRegistry implements Registry {

    private static final Logger log = LoggerFactory.getLogger(StoredRegistry.class);

    private final Domains domains;
    private volatile Map<String, Entry> known = Map.of();

    StoredRegistry(Domains domains) {
        this.domains = domains;
    }

    @Override
    public Entry of(String domain) {
        return known.getOrDefault(domain, Entry.NONE);
    }

    /** Reads it at the start and after each stored change. If that fails, the former entries stay. */
    @PostConstruct
    @EventListener({DomainsChanged.class, OwnersChanged.class})
    synchronized void read() {
        try {
            Map<String, Entry> read = new HashMap<>();
            Map<String, String> owners = domains.owners();
            domains.labels().forEach((domain, labels) -> read.put(domain, new Entry(labels, owners.get(domain))));
            owners.forEach((domain, owner) -> read.putIfAbsent(domain, new Entry(Collections.emptySortedMap(), owner)));
            known = read;
        } catch (DataAccessException e) {
            log.error("The labels and owners of the domains could not be read: {}", e.getMessage());
        }
    }
}
