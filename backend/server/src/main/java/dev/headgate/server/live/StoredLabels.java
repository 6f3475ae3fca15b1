package dev.headgate.server.live;

import dev.headgate.server.domains.Domains;
import dev.headgate.server.domains.DomainsChanged;
import jakarta.annotation.PostConstruct;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.event.EventListener;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Component;

/** The labels in the control store. Held in memory, so that the feed's thread never waits for the store. */
@Component
class StoredLabels implements DomainLabels {

    private static final Logger log = LoggerFactory.getLogger(StoredLabels.class);

    private final Domains domains;
    private volatile Map<String, SortedMap<String, String>> known = Map.of();

    StoredLabels(Domains domains) {
        this.domains = domains;
    }

    @Override
    public SortedMap<String, String> of(String domain) {
        return known.getOrDefault(domain, Collections.emptySortedMap());
    }

    /** Reads them at the start and after each stored change. If that fails, the former ones stay. */
    @PostConstruct
    @EventListener(DomainsChanged.class)
    synchronized void read() {
        try {
            known = domains.labels();
        } catch (DataAccessException e) {
            log.error("The labels of the domains could not be read: {}", e.getMessage());
        }
    }
}
