package dev.headgate.server.audit;

import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.RepeatedTask;
import java.sql.Timestamp;
import java.time.Clock;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/** Deletes what is past the audit's retention, once an hour, on a thread of its own. */
@Component
final class AuditRetention extends RepeatedTask {

    private static final Logger log = LoggerFactory.getLogger(AuditRetention.class);
    private static final Duration PRUNE_EVERY = Duration.ofHours(1);

    private final HeadgateProperties.Audit retention;
    private final JdbcClient store;
    private final TransactionTemplate transactions;
    private final Clock clock;

    AuditRetention(
            HeadgateProperties properties,
            JdbcClient store,
            TransactionTemplate transactions,
            Supervisor supervisor,
            Clock clock) {
        super(supervisor, "headgate-audit", PRUNE_EVERY);
        this.retention = properties.audit();
        this.store = store;
        this.transactions = transactions;
        this.clock = clock;
    }

    /** Deletes entries that are too old, and of the rest all except the newest. A store that is away is tried again the next time. */
    @Override
    protected void turn() {
        try {
            transactions.executeWithoutResult(transaction -> {
                String _ = store.sql("select set_config('headgate.retention', 'audit', true)")
                        .query(String.class)
                        .single();
                int _ = store.sql("""
                                delete from audit where time < :before
                                   or id <= (select id from audit order by id desc offset :most limit 1)
                                """)
                        .param("before", Timestamp.from(clock.instant().minus(retention.keep())))
                        .param("most", retention.limit())
                        .update();
            });
        } catch (RuntimeException e) {
            log.warn("Old audit entries cannot be deleted: {}", e.toString());
        }
    }
}
