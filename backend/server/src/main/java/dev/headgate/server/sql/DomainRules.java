package dev.headgate.server.sql;

import dev.headgate.server.domains.DomainSqlJson;
import dev.headgate.server.domains.Domains;
import dev.headgate.server.domains.DomainsChanged;
import dev.headgate.server.domains.StoredByDomain;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
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

    private final StoredByDomain<DomainSqlJson> stored;

    DomainRules(Domains domains) {
        this.stored = new StoredByDomain<>(domains::sql, domains::sql);
    }

    /**
     * The rules of a domain.
     *
     * @throws ProblemException forbidden if requests are refused there
     */
    DomainSqlJson of(String domain) {
        if (!stored.isComplete()) {
            stored.read();
        }
        @Nullable DomainSqlJson own = stored.get(domain);
        DomainSqlJson rules = own == null ? DomainSqlJson.DEFAULT : own;
        if (rules.access().equals("off")) {
            throw ProblemException.of(
                    ProblemType.FORBIDDEN, "SQL over HTTP is off for the domain '" + domain + "' (sql.access).");
        }
        return rules;
    }

    /** Follows a stored change. If that fails, the next request reads all of them. */
    @EventListener
    void follow(DomainsChanged change) {
        try {
            stored.follow(change.domain());
        } catch (DataAccessException e) {
            log.error("The settings for SQL over HTTP could not be read again: {}", e.getMessage());
        }
    }
}
