package dev.headgate.server.sql;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.headgate.protocol.Fingerprint;
import dev.headgate.server.access.Access;
import dev.headgate.server.audit.Audit;
import dev.headgate.sql.Query;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Component;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Records which statements callers execute: each once an hour for a caller and a domain, without its values. So the audit tells
 * who did what, and a program that asks a thousand times a second does not fill it. Safe for any thread.
 */
@Component
final class SqlAudit {

    private static final Logger log = LoggerFactory.getLogger(SqlAudit.class);

    private static final Duration EVERY = Duration.ofHours(1);
    private static final int MOST_REMEMBERED = 20_000;

    /** Of one domain within an hour. */
    private static final int MOST_OF_A_DOMAIN = 1_000;

    private static final int LONGEST = 500;

    /** After the control store has failed, nobody waits for it again within this time. */
    private static final Duration LEFT_ALONE = Duration.ofMinutes(1);

    private record Seen(String actor, String domain, String statement) {}

    /** The part that the audit records. */
    private record Shown(String statement) {}

    private final Audit audit;
    private final Access access;
    private final TransactionTemplate transactions;
    private final Cache<Seen, Boolean> seen = Caffeine.newBuilder()
            .maximumSize(MOST_REMEMBERED)
            .expireAfterWrite(EVERY)
            .build();
    /** Until when the control store is left alone, by {@link System#nanoTime}. */
    private volatile long leftAloneUntil = System.nanoTime();

    private final Cache<String, AtomicInteger> counts = Caffeine.newBuilder()
            .maximumSize(MOST_REMEMBERED)
            .expireAfterWrite(EVERY)
            .build();

    SqlAudit(Audit audit, Access access, TransactionTemplate transactions) {
        this.audit = audit;
        this.access = access;
        this.transactions = transactions;
    }

    /** This thread's caller is about to execute a statement. Does not fail: without a control store SQL goes on. */
    void executing(String domain, Query query) {
        Seen one = new Seen(access.actor().name(), domain, Fingerprint.of(query.sql(), LONGEST));
        if (System.nanoTime() - leftAloneUntil < 0 || seen.asMap().putIfAbsent(one, Boolean.TRUE) != null) {
            return;
        }
        int count = counts.get(domain, _ -> new AtomicInteger()).incrementAndGet();
        if (count > MOST_OF_A_DOMAIN) {
            if (count == MOST_OF_A_DOMAIN + 1) {
                log.atWarn()
                        .addKeyValue("domain", domain)
                        .log(
                                "{} has had {} different statements within an hour; more are not audited",
                                domain,
                                count - 1);
            }
            return;
        }
        try {
            transactions.executeWithoutResult(
                    transaction -> audit.record("sql.execute", "domains/" + domain, null, new Shown(one.statement())));
        } catch (DataAccessException | TransactionException e) {
            seen.invalidate(one);
            leftAloneUntil = System.nanoTime() + LEFT_ALONE.toNanos();
            log.warn("Statements are not audited for {} s: the control store is not available", LEFT_ALONE.toSeconds());
        }
    }
}
