package dev.headgate.server.demo;

import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The rows of workloads. Takes part in the caller's transaction, if there is one. */
@Component
final class WorkloadStore {

    private final JdbcClient store;

    WorkloadStore(JdbcClient store) {
        this.store = store;
    }

    /** What an operator may change of a workload, as it is kept and audited. */
    record Settings(boolean running, double ratePerSecond, boolean varies) {}

    Optional<Settings> find(String name) {
        return store.sql("select * from workload where name = :name")
                .param("name", name)
                .query((row, n) -> new Settings(
                        row.getBoolean("running"), row.getDouble("rate_per_second"), row.getBoolean("varies")))
                .optional();
    }

    /** Adds or replaces. */
    void keep(String name, Settings settings) {
        store.sql("""
                        insert into workload (name, running, rate_per_second, varies)
                        values (:name, :running, :rate, :varies)
                        on conflict (name) do update
                        set running = excluded.running, rate_per_second = excluded.rate_per_second,
                            varies = excluded.varies
                        """)
                .param("name", name)
                .param("running", settings.running())
                .param("rate", settings.ratePerSecond())
                .param("varies", settings.varies())
                .update();
    }
}
