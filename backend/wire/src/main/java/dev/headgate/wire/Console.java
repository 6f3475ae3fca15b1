package dev.headgate.wire;

import dev.headgate.engine.LeaseStatus;
import dev.headgate.engine.Pool;
import dev.headgate.engine.Who;
import dev.headgate.engine.connect.Target;
import dev.headgate.engine.governor.PoolStatus;
import dev.headgate.engine.governor.PoolStatus.Totals;
import dev.headgate.engine.meter.ConnectionStatus;
import dev.headgate.protocol.Buffers;
import dev.headgate.protocol.Fields;
import dev.headgate.protocol.FrameWriter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The database {@code headgate}: SHOW and a few actions, for psql and for exporters that read PgBouncer. PgBouncer's columns
 * come first and in its order; Headgate's own columns follow. Times are in microseconds, as in PgBouncer. A lease counts as
 * a transaction. Accepts simple queries only, as PgBouncer's console does.
 */
final class Console {

    private static final Pattern COMMAND =
            Pattern.compile("([a-z_]+)(?:\\s+\"?([A-Za-z0-9_.-]+)\"?)?", Pattern.CASE_INSENSITIVE);

    /** How often PAUSE looks whether a lease is out. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** So much of a text that is no command is repeated in its error: psql's \d sends a page. */
    private static final int MOST_TOLD = 60;

    /** As PgBouncer writes times. */
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss 'UTC'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private static final String SHOWN =
            "POOLS|STATS|STATS_TOTALS|STATS_AVERAGES|SERVERS|CLIENTS|DATABASES|CONFIG|LISTS|VERSION|HELP";

    /** PgBouncer's names of {@link #totals} without their beginning {@code total_}. */
    private static final String TOTALS =
            "server_assignment_count xact_count query_count received sent xact_time query_time wait_time";

    /** Those of {@link #averages} without {@code avg_}. */
    private static final String AVERAGES =
            "server_assignment_count xact_count query_count recv sent xact_time query_time wait_time";

    /** Somebody has taken back a pause while it was waited for. */
    private static final class ResumedException extends RuntimeException {
        private static final long serialVersionUID = 1;

        ResumedException(String message) {
            super(message);
        }
    }

    private final String user;
    private final WirePort port;
    private final Operations operations;
    private final Lock showing;
    private BooleanSupplier left = () -> false;
    private FrameWriter out = new FrameWriter(new Buffers());

    /** @param showing held while a table is made, so that all consoles of a port together make one at a time */
    Console(String user, WirePort port, Operations operations, Lock showing) {
        this.user = user;
        this.port = port;
        this.operations = operations;
        this.showing = showing;
    }

    /** The messages to a client before its first query. */
    void greet(FrameWriter to) {
        for (Map.Entry<String, String> each : Map.of(
                        "server_version", "16.0 (Headgate " + operations.version() + ")",
                        "client_encoding", "UTF8",
                        "server_encoding", "UTF8",
                        "DateStyle", "ISO",
                        "standard_conforming_strings", "on")
                .entrySet()) {
            to.reported(each.getKey(), each.getValue());
        }
    }

    /**
     * Executes one command. May block: PAUSE does until nothing is under way.
     *
     * @param hasLeft whether the client has left, from any thread; nothing is waited for any longer then
     * @return the answer, in buffers of its own
     */
    FrameWriter execute(String text, BooleanSupplier hasLeft) {
        left = hasLeft;
        out = new FrameWriter(new Buffers());
        answer(text.strip());
        return out;
    }

    private void answer(String text) {
        String command =
                text.endsWith(";") ? text.substring(0, text.length() - 1).strip() : text;
        if (command.isEmpty()) {
            out.message('I');
            return;
        }
        if (command.regionMatches(true, 0, "SET ", 0, 4)) {
            complete("SET"); // drivers send some at their start; they have no effect here
            return;
        }
        Matcher parts = COMMAND.matcher(command);
        String verb = parts.matches() ? parts.group(1).toUpperCase(Locale.ROOT) : "";
        String object = parts.matches() && parts.group(2) != null ? parts.group(2) : "";
        try {
            switch (verb) {
                case "SHOW" -> {
                    showing.lock();
                    try {
                        show(object.toUpperCase(Locale.ROOT));
                    } finally {
                        showing.unlock();
                    }
                }
                case "PAUSE" -> act(Operations.Action.PAUSE, object, verb);
                case "RESUME" -> act(Operations.Action.RESUME, object, verb);
                case "RECONNECT" -> act(Operations.Action.RECONNECT, object, verb);
                case "KILL", "KILL_CLIENT" -> kill(object, verb);
                default -> unknown(command);
            }
        } catch (IllegalArgumentException wrong) {
            Fields.error(out, "ERROR", "42601", wrong.getMessage(), "");
        } catch (ResumedException overtaken) {
            Fields.error(out, "ERROR", "55000", overtaken.getMessage(), "");
        }
    }

    private void unknown(String command) {
        String line = command.replaceAll("\\s+", " ");
        String told = line.length() > MOST_TOLD ? line.substring(0, MOST_TOLD) + "…" : line;
        Fields.error(
                out,
                "ERROR",
                "42601",
                "the console does not know '" + told + "'",
                "Allowed are SHOW " + SHOWN.replace("|", ", ")
                        + "; PAUSE, RESUME, RECONNECT [domain]; KILL client. The other actions are in the dashboard and the REST API.");
    }

    private void act(Operations.Action action, String domain, String tag) {
        List<String> names = domain.isEmpty()
                ? operations.domains().stream()
                        .map(each -> each.pool().domain())
                        .toList()
                : List.of(domain);
        for (String name : names) {
            operations.act(action, name, user);
        }
        if (action == Operations.Action.PAUSE) {
            awaitRest(Set.copyOf(names));
        }
        complete(tag);
    }

    /** As PgBouncer's PAUSE: returns when no lease of these domains is out, so that their server can be stopped then. */
    private void awaitRest(Set<String> names) {
        List<Pool> busy = new ArrayList<>(operations.domains().stream()
                .map(Directory.Domain::pool)
                .filter(pool -> names.contains(pool.domain()))
                .toList());
        busy.removeIf(Console::rests);
        while (!busy.isEmpty() && !left.getAsBoolean()) {
            LockSupport.parkNanos(this, LOOK_NANOS);
            busy.removeIf(Console::rests);
        }
    }

    private static boolean rests(Pool paused) {
        PoolStatus now = paused.status();
        if (now.inUse() > 0 && now.state() == PoolStatus.State.OPEN) {
            throw new ResumedException(now.domain() + " was resumed while PAUSE waited for the end of " + now.inUse()
                    + (now.inUse() == 1 ? " lease" : " leases"));
        }
        return now.inUse() == 0;
    }

    /** Ends a client's session; its number is the {@code id} of SHOW CLIENTS. */
    private void kill(String number, String tag) {
        if (!number.matches("[0-9]{1,9}")) { // PgBouncer's KILL takes a database
            throw new IllegalArgumentException(tag + " takes the id of one client, which SHOW CLIENTS lists");
        }
        if (!port.kill(Integer.parseInt(number))) {
            throw new IllegalArgumentException("there is no client " + number + "; SHOW CLIENTS lists their ids");
        }
        complete(tag);
    }

    private void show(String what) {
        switch (what) {
            case "POOLS" -> {
                Map<String, Long> notWaiting = clients(each -> !each.state().equals("waiting"));
                table(
                        "database user cl_active cl_waiting cl_active_cancel_req cl_waiting_cancel_req sv_active sv_active_cancel sv_being_canceled sv_idle sv_used sv_tested sv_login maxwait maxwait_us pool_mode"
                                + " size floor ceiling binding_policy",
                        operations.domains().stream()
                                .map(each -> pool(each, notWaiting))
                                .toList());
            }
            case "STATS" ->
                table(
                        "database " + prefixed("total_", TOTALS) + " " + prefixed("avg_", AVERAGES)
                                + " total_refused total_timed_out total_errors p99_query_time p99_wait_time",
                        ofDomains(now -> joined(
                                Stream.of(row(now.domain()), totals(now.totals()), averages(now), ownFigures(now)))));
            case "STATS_TOTALS" ->
                table(
                        "database " + bytesSpelled(TOTALS),
                        ofDomains(now -> joined(Stream.of(row(now.domain()), totals(now.totals())))));
            case "STATS_AVERAGES" ->
                table(
                        "database " + bytesSpelled(AVERAGES),
                        ofDomains(now -> joined(Stream.of(row(now.domain()), averages(now)))));
            case "SERVERS" ->
                table(
                        "type user database replication state addr port local_addr local_port connect_time request_time wait wait_us close_needed ptr link remote_pid tls application_name id"
                                + " requests errors mean_us p99_us",
                        operations.domains().stream()
                                .flatMap(each -> servers(each.pool()).stream())
                                .toList());
            case "CLIENTS" ->
                table(
                        "type user database replication state addr port local_addr local_port connect_time request_time wait wait_us close_needed ptr link remote_pid tls application_name prepared_statements id"
                                + " transactions pinned_by",
                        port.clients().stream().map(this::client).toList());
            case "DATABASES" -> {
                Map<String, Long> connected = clients(_ -> true);
                table(
                        "name host port database force_user pool_size min_pool_size reserve_pool_size pool_mode max_connections current_connections max_client_connections current_client_connections paused disabled"
                                + " budget",
                        operations.domains().stream()
                                .map(each -> database(each, connected))
                                .toList());
            }
            case "LISTS" -> table("list items", lists());
            case "CONFIG" -> table("key value default changeable", config());
            case "VERSION" -> table("version", List.of(row("Headgate " + operations.version())));
            case "HELP" ->
                table(
                        "command",
                        List.of(
                                row("SHOW " + SHOWN),
                                row("PAUSE [domain]"),
                                row("RESUME [domain]"),
                                row("RECONNECT [domain]"),
                                row("KILL client")));
            default -> unknown(("SHOW " + what).strip());
        }
    }

    /** How many clients of each domain there are, of those that have some. */
    private Map<String, Long> clients(Predicate<ClientStatus> which) {
        return port.clients().stream()
                .filter(which)
                .collect(Collectors.groupingBy(ClientStatus::domain, Collectors.counting()));
    }

    private List<List<@Nullable Object>> ofDomains(Function<PoolStatus, List<@Nullable Object>> row) {
        return operations.domains().stream()
                .map(each -> row.apply(each.pool().status()))
                .toList();
    }

    /** @param notWaiting clients of each domain, as PgBouncer counts them as active: idle ones too */
    private static List<@Nullable Object> pool(Directory.Domain domain, Map<String, Long> notWaiting) {
        PoolStatus now = domain.pool().status();
        return row(
                now.domain(),
                "",
                notWaiting.getOrDefault(now.domain(), 0L),
                now.waiting(),
                0,
                0,
                now.inUse(),
                0,
                0,
                now.idle(),
                0,
                0,
                now.opening(),
                now.longestWaitNanos() / 1_000_000_000,
                now.longestWaitNanos() / 1_000 % 1_000_000,
                domain.mode().name().toLowerCase(Locale.ROOT),
                now.size(),
                now.floor(),
                now.ceiling(),
                now.binding().map(answer -> answer.plugin()).orElse(""));
    }

    private static List<@Nullable Object> totals(Totals totals) {
        return row(
                totals.leases(),
                totals.leases(),
                totals.requests(),
                totals.bytesOut(),
                totals.bytesIn(),
                totals.leasedNanos() / 1_000,
                totals.busyNanos() / 1_000,
                totals.waitedNanos() / 1_000);
    }

    private static List<@Nullable Object> averages(PoolStatus now) {
        long leases = Math.round(now.waits().perSecond()); // every lease has a wait, which may be 0
        return row(
                leases,
                leases,
                Math.round(now.latency().perSecond()),
                Math.round(now.traffic().bytesOutPerSecond()),
                Math.round(now.traffic().bytesInPerSecond()),
                Math.round(now.traffic().meanLeasedNanos() / 1e3),
                Math.round(now.latency().meanNanos() / 1e3),
                Math.round(now.waits().meanNanos() / 1e3));
    }

    private static List<@Nullable Object> ownFigures(PoolStatus now) {
        return row(
                now.totals().refused(),
                now.totals().timedOut(),
                now.totals().errors(),
                now.latency().p99Nanos() / 1_000,
                now.waits().p99Nanos() / 1_000);
    }

    private static String prefixed(String prefix, String names) {
        return Arrays.stream(names.split(" ")).map(prefix::concat).collect(Collectors.joining(" "));
    }

    /** SHOW STATS_TOTALS and STATS_AVERAGES name two columns in another way than SHOW STATS does. */
    private static String bytesSpelled(String names) {
        return names.replaceFirst("\\b(received|recv)\\b", "bytes_received").replaceFirst("\\bsent\\b", "bytes_sent");
    }

    private static List<List<@Nullable Object>> servers(Pool pool) {
        Target target = pool.database().target();
        Map<String, Who> holders = pool.occupancy().leases().stream()
                .collect(Collectors.toMap(lease -> lease.connection().id(), LeaseStatus::who, (one, _) -> one));
        Instant now = Instant.now();
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (ConnectionStatus each : pool.connections()) {
            rows.add(row(
                    "S",
                    target.user(),
                    pool.domain(),
                    "none",
                    state(each),
                    target.host(),
                    target.port(),
                    "",
                    0,
                    TIME.format(now.minusNanos(each.ageNanos())),
                    null, // not known
                    0,
                    0,
                    each.state() == ConnectionStatus.State.CLOSING ? 1 : 0,
                    each.id(),
                    each.lease().map(lease -> lease.holder()).orElse(""),
                    each.backendPid(),
                    null, // not known
                    Optional.ofNullable(holders.get(each.id()))
                            .map(Who::application)
                            .orElse(""),
                    each.id(),
                    each.requests(),
                    each.errors(),
                    Math.round(each.sinceConnect().meanNanos() / 1e3),
                    each.sinceConnect().p99Nanos() / 1_000));
        }
        return rows;
    }

    private static String state(ConnectionStatus connection) {
        if (connection.state() == ConnectionStatus.State.OPENING) {
            return "new";
        }
        return connection.lease().isPresent() ? "active" : "idle";
    }

    private List<@Nullable Object> client(ClientStatus each) {
        int colon = each.address().lastIndexOf(':');
        return row(
                "C",
                each.user(),
                each.domain(),
                "none",
                each.state(),
                each.address().substring(0, colon),
                Integer.parseInt(each.address().substring(colon + 1)),
                port.settings().address().getHostAddress(),
                port.port(),
                TIME.format(each.since()),
                null, // not known
                each.waitingNanos() / 1_000_000_000,
                each.waitingNanos() / 1_000 % 1_000_000,
                0,
                each.id(),
                each.connection(),
                each.id(),
                each.tls() ? "TLS" : "",
                each.application(),
                each.statements(),
                each.id(),
                each.transactions(),
                each.pinnedBy());
    }

    private static List<@Nullable Object> database(Directory.Domain domain, Map<String, Long> connected) {
        PoolStatus now = domain.pool().status();
        Target target = domain.pool().database().target();
        return row(
                now.domain(),
                target.host(),
                target.port(),
                target.database(),
                target.user(),
                now.ceiling(),
                now.floor(),
                0,
                domain.mode().name().toLowerCase(Locale.ROOT),
                now.ceiling(),
                now.size(),
                domain.mostClients(),
                connected.getOrDefault(now.domain(), 0L),
                now.state() == PoolStatus.State.PAUSED ? 1 : 0,
                now.state() == PoolStatus.State.DRAINING ? 1 : 0,
                now.budget());
    }

    /** PgBouncer's names for what it has too. Times are in seconds. */
    private List<List<@Nullable Object>> config() {
        WireSettings now = port.settings();
        WireSettings usual = WireSettings.on(now.address(), 6432);
        return List.of(
                row("listen_addr", now.address().getHostAddress(), "127.0.0.1", "no"),
                setting("listen_port", port.port(), usual.port()),
                setting("max_client_conn", now.mostClients(), usual.mostClients()),
                setting("max_prepared_statements", now.mostStatements(), usual.mostStatements()),
                setting(
                        "client_login_timeout",
                        now.loginTimeout().toSeconds(),
                        usual.loginTimeout().toSeconds()),
                setting(
                        "client_idle_timeout",
                        now.idleTimeout().toSeconds(),
                        usual.idleTimeout().toSeconds()),
                setting(
                        "idle_transaction_timeout",
                        now.transactionTimeout().toSeconds(),
                        usual.transactionTimeout().toSeconds()),
                setting("server_reset_query_always", now.alwaysReset() ? 1 : 0, usual.alwaysReset() ? 1 : 0),
                setting("application_name_add_host", now.showHolder() ? 1 : 0, usual.showHolder() ? 1 : 0),
                setting("loops", now.loops(), usual.loops()));
    }

    private static List<@Nullable Object> setting(String name, long value, long usual) {
        return row(name, Long.toString(value), Long.toString(usual), "no");
    }

    private List<List<@Nullable Object>> lists() {
        List<Directory.Domain> domains = operations.domains();
        long used = 0;
        long idle = 0;
        for (Directory.Domain each : domains) {
            PoolStatus now = each.pool().status();
            used += now.inUse();
            idle += now.idle();
        }
        return List.of(
                row("databases", domains.size()),
                row("users", operations.users()),
                row("pools", domains.size()),
                row("free_clients", 0),
                row("used_clients", port.clientCount()),
                row("login_clients", port.arrivals().present()),
                row("free_servers", idle),
                row("used_servers", used),
                row("dns_names", 0),
                row("dns_zones", 0),
                row("dns_queries", 0),
                row("dns_pending", 0));
    }

    /** @param values null for what is not known */
    private static List<@Nullable Object> row(@Nullable Object... values) {
        return Arrays.asList(values);
    }

    private static List<@Nullable Object> joined(Stream<List<@Nullable Object>> parts) {
        return parts.flatMap(List::stream).toList();
    }

    private void table(String columns, List<List<@Nullable Object>> rows) {
        String[] names = columns.split(" ");
        int length = 2;
        for (String name : names) {
            length += FrameWriter.sizeOf(name) + 18;
        }
        out.header('T', length).int16(names.length);
        for (int i = 0; i < names.length; i++) {
            boolean number = !rows.isEmpty() && rows.getFirst().get(i) instanceof Number;
            out.cString(names[i])
                    .int32(0)
                    .int16(0)
                    .int32(number ? 20 : 25)
                    .int16(number ? 8 : -1)
                    .int32(-1)
                    .int16(0);
        }
        for (List<@Nullable Object> row : rows) {
            List<byte @Nullable []> values = row.stream().map(Console::bytes).toList();
            out.header(
                            'D',
                            2
                                    + values.stream()
                                            .mapToInt(value -> 4 + (value == null ? 0 : value.length))
                                            .sum())
                    .int16(values.size());
            for (byte @Nullable [] value : values) {
                if (value == null) {
                    out.int32(-1);
                } else {
                    out.int32(value.length).write(value);
                }
            }
        }
        complete("SHOW");
    }

    private static byte @Nullable [] bytes(@Nullable Object value) {
        return value == null ? null : value.toString().getBytes(StandardCharsets.UTF_8);
    }

    private void complete(String tag) {
        out.header('C', FrameWriter.sizeOf(tag)).cString(tag);
    }
}
