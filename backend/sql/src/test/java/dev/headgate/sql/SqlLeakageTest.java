package dev.headgate.sql;

import static dev.headgate.sql.SqlWorld.run;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.wire.Directory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Callers that take turns on fewer connections than they are, as seeds would have it, and end at any moment, also within a
 * transaction: none ever sees a setting, a table, a lock, a cursor or a transaction of another one, and each finds its own again.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
class SqlLeakageTest {

    private static final int CALLERS = 5;
    private static final int CONNECTIONS = 3;

    /** Those that hold a connection for themselves leave one for the others. */
    private static final int MOST_HOLDING = CONNECTIONS - 1;

    private static final Map<String, List<String>> VALUES = Map.of(
            "work_mem", List.of("5MB", "6MB", "7MB"),
            "search_path", List.of("pg_catalog", "pg_catalog, public"),
            "timezone", List.of("Asia/Tokyo", "Europe/Berlin"),
            "default_transaction_read_only", List.of("on"));

    private SqlWorld world;
    private Directory.Domain domain;

    @BeforeAll
    void open() throws IOException {
        world = new SqlWorld();
        domain = world.domain("leaks", CONNECTIONS);
    }

    @AfterEach
    void nothingStays() throws Exception {
        world.endAll();
        Awaitility.await().until(() -> domain.pool().status().inUse() == 0);
    }

    @AfterAll
    void close() throws Exception {
        world.close();
    }

    /** What ties a caller to a connection, and how many of the kind it sees. */
    private enum Belonging {
        TABLE(
                "CREATE TEMP TABLE mine AS SELECT %d AS owner",
                "SELECT count(*) FROM pg_class WHERE relname = 'mine' AND pg_table_is_visible(oid)"),
        LOCK(
                "SELECT pg_advisory_lock(%d)",
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()"),
        STATEMENT("PREPARE mine AS SELECT %d", "SELECT count(*) FROM pg_prepared_statements WHERE name = 'mine'"),
        CURSOR("DECLARE mine CURSOR WITH HOLD FOR SELECT %d", "SELECT count(*) FROM pg_cursors WHERE name = 'mine'"),
        CHANNEL("LISTEN mine%d", "SELECT count(*) FROM pg_listening_channels()");

        final String made;
        final String seen;

        Belonging(String made, String seen) {
            this.made = made;
            this.seen = seen;
        }
    }

    /** What a caller must see. */
    private final class One {
        final int number;
        SqlSession session;
        final Map<String, String> settings = new HashMap<>();
        Map<String, String> before = Map.of();
        boolean inTransaction;
        final Set<Belonging> has = EnumSet.noneOf(Belonging.class);

        One(int number) {
            this.number = number;
            this.session = world.open(domain);
        }

        @Nullable
        String text(String sql) throws SqlFailure, InterruptedException {
            return run(session, Query.of(sql)).getFirst().rows().getFirst().getFirst();
        }

        /** Ends as it is, and comes back as another one. */
        void comeBack() throws Exception {
            session.close();
            session.ended().toCompletableFuture().get();
            session = world.open(domain);
            settings.clear();
            has.clear();
            inTransaction = false;
        }

        boolean holds() {
            return inTransaction || !has.isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void nobodySeesWhatIsAnothers(long seed) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        List<One> all = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            all.add(new One(i));
        }
        Map<String, String> defaults = new HashMap<>();
        for (String name : VALUES.keySet()) {
            defaults.put(name, String.valueOf(all.getFirst().text("SHOW " + name)));
        }
        for (int step = 0; step < 250; step++) {
            One one = all.get(random.nextInt(CALLERS));
            act(one, all, random);
            check(one, defaults, "seed %d, step %d, caller %d".formatted(seed, step, one.number));
        }
    }

    @Test
    void whatABlockOfCodeLeavesNobodyElseSees() throws Exception {
        String block =
                "DO $$ BEGIN SET work_mem = '5MB'; EXECUTE 'LISTEN mine'; CREATE TEMP TABLE mine (id int); END $$";
        assertThat(seenAfter(world.domain("blocks", 1), world.sql, block)).isEqualTo("4MB, channels 0, table none");
    }

    @Test
    void whatAFunctionLeavesNobodyElseSeesWhereEveryLeaseEndsWithAReset() throws Exception {
        SqlSession before = world.open(domain);
        run(before, Query.of("""
                CREATE FUNCTION leaves() RETURNS void LANGUAGE plpgsql AS $$ BEGIN
                SET work_mem = '5MB'; EXECUTE 'LISTEN mine'; CREATE TEMP TABLE mine (id int); END $$"""));
        assertThat(seenAfter(world.domain("functions", 1), new SqlEngine(world.loops, true), "SELECT leaves()"))
                .isEqualTo("4MB, channels 0, table none");
    }

    /** What a caller sees on the only connection of a domain after another one has executed a statement there. */
    private static String seenAfter(Directory.Domain only, SqlEngine sql, String statement) throws Exception {
        try (SqlSession first = sql.open(only, Caller.named("first"))) {
            run(first, Query.of(statement));
        }
        try (SqlSession second = sql.open(only, Caller.named("second"))) {
            return String.valueOf(
                    run(second, Query.of("""
                            SELECT current_setting('work_mem') || ', channels ' || (SELECT count(*) FROM pg_listening_channels())
                            || ', table ' || coalesce(to_regclass('mine')::text, 'none')""")).getFirst().rows().getFirst().getFirst());
        }
    }

    private static void act(One one, List<One> all, SplittableRandom random) throws Exception {
        boolean mayHold = one.holds() || all.stream().filter(One::holds).count() < MOST_HOLDING;
        switch (random.nextInt(8)) {
            case 0, 1 -> set(one, random);
            case 2 -> {
                run(one.session, Query.of("RESET work_mem"));
                one.settings.remove("work_mem");
            }
            case 3 -> {
                if (!one.inTransaction && mayHold) {
                    run(one.session, Query.of("BEGIN"), Query.of("SELECT pg_current_xact_id()"));
                    one.before = Map.copyOf(one.settings);
                    one.inTransaction = true;
                }
            }
            case 4 -> {
                if (one.inTransaction) {
                    boolean keeps = random.nextBoolean();
                    run(one.session, Query.of(keeps ? "COMMIT" : "ROLLBACK"));
                    if (!keeps) {
                        one.settings.clear();
                        one.settings.putAll(one.before);
                    }
                    one.inTransaction = false;
                }
            }
            case 5 -> {
                Belonging each = Belonging.values()[random.nextInt(Belonging.values().length)];
                boolean readOnly = "on".equals(one.settings.get("default_transaction_read_only"));
                if (!one.inTransaction && !readOnly && mayHold && one.has.add(each)) {
                    run(one.session, Query.of(each.made.formatted(one.number)));
                }
            }
            case 6 -> one.comeBack();
            default -> {
                int added = random.nextInt(3) * 100;
                Query query = new Query("SELECT $1::int + " + added, List.of("" + one.number), List.of(), 0);
                assertThat(run(one.session, query, query).getLast().rows())
                        .containsExactly(List.of("" + (one.number + added)));
            }
        }
    }

    private static void set(One one, SplittableRandom random) throws SqlFailure, InterruptedException {
        List<String> names = VALUES.keySet().stream().sorted().toList();
        String name = names.get(random.nextInt(names.size()));
        String value = VALUES.get(name).get(random.nextInt(VALUES.get(name).size()));
        if (random.nextBoolean()) {
            String written = name.equals("search_path") ? value : "'" + value + "'";
            run(one.session, Query.of("SET " + name + " TO " + written));
        } else {
            run(one.session, new Query("SELECT set_config('" + name + "', $1, false)", List.of(value), List.of(), 0));
        }
        one.settings.put(name, value);
    }

    private static void check(One one, Map<String, String> defaults, String when) throws Exception {
        for (String name : VALUES.keySet()) {
            assertThat(one.text("SHOW " + name))
                    .as("%s of %s", name, when)
                    .isEqualTo(one.settings.getOrDefault(name, defaults.get(name)));
        }
        for (Belonging each : Belonging.values()) {
            assertThat(one.text(each.seen)).as("%s, %s", each, when).isEqualTo(one.has.contains(each) ? "1" : "0");
        }
        if (one.has.contains(Belonging.TABLE)) {
            assertThat(one.text("SELECT owner FROM mine")).as(when).isEqualTo("" + one.number);
        }
        assertThat(one.text("SELECT pg_current_xact_id_if_assigned() IS NOT NULL"))
                .as("within a transaction, %s", when)
                .isEqualTo(one.inTransaction ? "t" : "f");
    }
}
