package dev.headgate.server.sql;

import dev.headgate.server.domains.DomainSqlJson;
import dev.headgate.server.domains.Domains;
import dev.headgate.server.domains.DomainsChanged;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.event.EventListener;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Component;

/**
 * What requests may do on each domain, and take. Held in memory, so that a request needs no query of the control store. Safe for
 * any thread.
 */
@Component
final class DomainRules {

    private static final Logger log = LoggerFactory.getLogger(DomainRules.class);

    private final Domains domains;
    private volatile @Nullable Map<String, DomainSqlJson> known;

    DomainRules(Domains domains) {
        this.domains = domains;
    }

    /**
     * The rules of a domain.
     *
     * @throws ProblemException forbidden if requests are refused there
     */
    DomainSqlJson of(String domain) {
        Map<String, DomainSqlJson> present = known;
        if (present == null) {
            present = load();
        }
        DomainSqlJson rules = present.getOrDefault(domain, DomainSqlJson.DEFAULT);
        if (rules.access().equals("off")) {
            throw ProblemException.of(
                    ProblemType.FORBIDDEN, "SQL over HTTP is off for the domain '" + domain + "' (sql.access).");
        }
        return rules;
    }

    private synchronized Map<String, DomainSqlJson> load() {
        Map<String, DomainSqlJson> read = domains.sql();
        known = read;
        return read;
    }

    /** Reads again after a stored change. If that fails, the next request does. */
    @EventListener(DomainsChanged.class)
    void follow() {
        try {
            Map<String, DomainSqlJson> _ = load();
        } catch (DataAccessException e) {
            known = null;
            log.error("The settings for SQL over HTTP could not be read again: {}", e.getMessage());
        }
    }
}
