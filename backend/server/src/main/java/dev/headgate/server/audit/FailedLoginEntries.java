package dev.headgate.server.audit;

import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.access.LoginFailed;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/** Keeps failed logins: one entry for an address and a minute. Each on a thread of its own, since nobody who logs in waits for the store. */
@Component
final class FailedLoginEntries {

    private static final Logger log = LoggerFactory.getLogger(FailedLoginEntries.class);

    private final Audit audit;
    private final TransactionTemplate transactions;
    private final Supervisor supervisor;

    FailedLoginEntries(Audit audit, TransactionTemplate transactions, Supervisor supervisor) {
        this.audit = audit;
        this.transactions = transactions;
        this.supervisor = supervisor;
    }

    private record Shown(
            String address, String shown, @Nullable String client) {}

    @EventListener
    void failed(LoginFailed event) {
        Thread _ = supervisor.start("failed-login", Thread.ofVirtual().name("failed-login"), () -> keep(event));
    }

    /** A store that is away costs the entry. */
    private void keep(LoginFailed event) {
        String what = event.shown().equals("wire") ? "password at the wire port" : event.shown();
        log.warn("A login from {} failed: its {} is not valid", event.address(), what);
        Shown shown = new Shown(event.address(), event.shown(), event.client());
        try {
            transactions.executeWithoutResult(
                    transaction -> audit.record(event.address(), "access.login-failed", "session", null, shown));
        } catch (RuntimeException e) {
            log.warn("The failed login was not audited: {}", e.toString());
        }
    }
}
