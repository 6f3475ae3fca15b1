package dev.headgate.server.history;

import dev.headgate.engine.Engine;
import dev.headgate.server.problems.ProblemException;
import org.springframework.stereotype.Component;

/** Tells a domain of which nothing is known yet from one that does not exist. */
@Component
class KnownDomains {

    private final Engine engine;

    KnownDomains(Engine engine) {
        this.engine = engine;
    }

    void require(String domain) {
        if (engine.pool(domain).isEmpty()) {
            throw ProblemException.notFound("domain", domain);
        }
    }
}
