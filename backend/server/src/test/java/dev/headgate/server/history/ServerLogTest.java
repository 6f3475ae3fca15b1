package dev.headgate.server.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.headgate.server.Service;
import java.sql.Connection;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

class ServerLogTest {

    @Test
    void aDatabaseThatIsBeingDeletedGetsNoRow() throws Exception {
        Service service = Service.shared();
        JdbcTemplate jdbc = service.bean(JdbcTemplate.class);
        ServerLog log = service.bean(ServerLog.class);
        jdbc.update("""
                insert into target (name, host, port, database, "user", password, ssl_mode, budget)
                values ('leaving', '127.0.0.1', 1, 'leaving', 'nobody', '', 'disable', 1)
                """);
        try (Connection deleting = service.bean(DataSource.class).getConnection()) {
            deleting.setAutoCommit(false);
            deleting.createStatement().executeUpdate("delete from target where name = 'leaving'");
            CompletableFuture<Void> adding = CompletableFuture.runAsync(
                    () -> log.add("leaving", new ServerLog.Given("127.0.0.1:1", 100, 0), Instant.now()));
            await().atMost(Service.PATIENCE).until(() -> Boolean.TRUE.equals(jdbc.queryForObject("""
                            select exists (select from pg_stat_activity
                                where wait_event_type = 'Lock' and query like 'insert into server_log%')
                            """, Boolean.class)));
            deleting.commit();
            deleting.setAutoCommit(true);
            adding.get(10, TimeUnit.SECONDS);
        }
        assertThat(log.at("leaving", Instant.now())).isEmpty();
    }
}
