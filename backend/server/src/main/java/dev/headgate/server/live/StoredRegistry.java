package dev.headgate.server.live;

import dev.headgate.server.domains.Domains;
import dev.headgate.server.domains.DomainsChanged;
import dev.headgate.server.domains.StoredByDomain;
import dev.headgate.server.policies.OwnersChanged;
import jakarta.annotation.PostConstruct;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
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
    private final StoredByDomain<Entry> stored = new StoredByDomain<>(this::entries, this::entry);

    StoredRegistry(Domains domains) {
        this.domains = domains;
    }

    @Override
    public Entry of(String domain) {
        @Nullable Entry entry = stored.get(domain);
        return entry == null ? Entry.NONE : entry;
    }

    private Map<String, Entry> entries() {
        Map<String, Entry> read = new HashMap<>();
        Map<String, String> owners = domains.owners();
        domains.labels().forEach((domain, labels) -> read.put(domain, new Entry(labels, owners.get(domain))));
        owners.forEach((domain, owner) -> read.putIfAbsent(domain, new Entry(Collections.emptySortedMap(), owner)));
        return read;
    }

    private Optional<Entry> entry(String domain) {
        return domains.labels(domain)
                .map(labels -> new Entry(labels, domains.owner(domain).orElse(null)));
    }

    @PostConstruct
    void read() {
        reading(stored::read);
    }

    @EventListener
    void follow(DomainsChanged change) {
        reading(() -> stored.follow(change.domain()));
    }

    @EventListener
    void follow(OwnersChanged change) {
        reading(() -> change.domains().forEach(stored::follow));
    }

    /** If it fails, the former entries stay until the next change. */
    private static void reading(Runnable read) {
        try {
            read.run();
        } catch (DataAccessException e) {
            log.error("The labels and owners of the domains could not be read: {}", e.getMessage());
        }
    }
}
