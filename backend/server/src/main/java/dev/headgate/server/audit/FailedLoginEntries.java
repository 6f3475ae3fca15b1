package dev.headgate.server.audit;

import dev.headgate.server.access.LoginFailed;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/** Keeps failed logins: one entry for an address and a minute. */
@Component
final class FailedLoginEntries {

    private static final Logger log = LoggerFactory.getLogger(FailedLoginEntries.class);

    private final Audit audit;
    private final TransactionTemplate transactions;

    FailedLoginEntries(Audit audit, TransactionTemplate transactions) {
        this.audit = audit;
        this.transactions = transactions;
    }

    private record Shown(String address, String shown) {}

    /** A store that is away costs the entry, not the answer. */
    @EventListener
    void failed(LoginFailed event) {
        log.warn("A login from {} failed: its {} is not valid", event.address(), event.shown());
        try {
            transactions.executeWithoutResult(transaction ->
                    audit.record("access.login-failed", "session", null, new Shown(event.address(), event.shown())));
        } catch (RuntimeException e) {
            log.warn("The failed login was not audited: {}", e.toString());
        }
    }
}
