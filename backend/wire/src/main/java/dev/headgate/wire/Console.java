package dev.headgate.wire;

import dev.headgate.engine.Pool;
import dev.headgate.engine.governor.PoolStatus;
import dev.headgate.engine.meter.ConnectionStatus;
import dev.headgate.protocol.Buffers;
import dev.headgate.protocol.Fields;
import dev.headgate.protocol.FrameWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The database {@code headgate}: SHOW and a few actions, for psql and for exporters that read PgBouncer. PgBouncer's columns
 * come first and in its order; Headgate's own columns follow. Times are in microseconds, as in PgBouncer. A lease counts as
 * a transaction. Accepts simple queries only, as PgBouncer's console does.
 */
final class Console {

    private static final Pattern COMMAND =
            Pattern.compile("([a-z]+)(?:\\s+(?:(fatal)\\s+)?\"?([A-Za-z0-9_.-]+)\"?)?", Pattern.CASE_INSENSITIVE);

    private final String user;
    private final WirePort port;
    private final Operations operations;
    private final Lock showing;
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

    /** Executes one command. May block. @return the answer, in buffers of its own */
    FrameWriter execute(String text) {
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
        String object = parts.matches() && parts.group(3) != null ? parts.group(3) : "";
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
                case "KILL" -> kill(object);
                default -> throw new IllegalArgumentException("'" + command + "' is not known");
            }
        } catch (IllegalArgumentException wrong) {
            Fields.error(
                    out,
                    "ERROR",
                    "42601",
                    wrong.getMessage(),
                    "Allowed are SHOW POOLS, STATS, SERVERS, CLIENTS, DATABASES, CONFIG, LISTS, VERSION, HELP; PAUSE, RESUME, RECONNECT [domain]; KILL client.");
        }
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
        complete(tag);
    }

    /** Ends a client's session; its number is the {@code remote_pid} of SHOW CLIENTS. */
    private void kill(String number) {
        if (!number.matches("[0-9]{1,9}") || !port.kill(Integer.parseInt(number))) {
            throw new IllegalArgumentException(
                    "there is no client " + number + "; SHOW CLIENTS lists their remote_pid");
        }
        complete("KILL");
    }

    private void show(String what) {
        switch (what) {
            case "POOLS" -> {
                Map<String, Long> active = port.clients().stream()
                        .filter(each -> each.state().equals("active"))
                        .collect(Collectors.groupingBy(ClientStatus::domain, Collectors.counting()));
                table(
                        "database user cl_active cl_waiting cl_active_cancel_req cl_waiting_cancel_req sv_active sv_active_cancel sv_being_canceled sv_idle sv_used sv_tested sv_login maxwait maxwait_us pool_mode"
                                + " size floor ceiling binding_policy",
                        operations.domains().stream()
                                .map(each -> pool(each, active))
                                .toList());
            }
            case "STATS" ->
                table(
                        "database total_xact_count total_query_count total_received total_sent total_xact_time total_query_time total_wait_time avg_xact_count avg_query_count avg_recv avg_sent avg_xact_time avg_query_time avg_wait_time"
                                + " total_refused total_timed_out total_errors p99_query_time p99_wait_time",
                        operations.domains().stream().map(Console::stats).toList());
            case "SERVERS" ->
                table(
                        "type user database state addr port local_addr local_port connect_time request_time wait wait_us close_needed ptr link remote_pid tls application_name"
                                + " id requests errors mean_us p99_us",
                        operations.domains().stream()
                                .flatMap(each -> servers(each.pool()).stream())
                                .toList());
            case "CLIENTS" ->
                table(
                        "type user database state addr port local_addr local_port connect_time request_time wait wait_us close_needed ptr link remote_pid tls application_name"
                                + " transactions pinned_by prepared_statements",
                        port.clients().stream().map(Console::client).toList());
            case "DATABASES" ->
                table(
                        "name host port database force_user pool_size min_pool_size reserve_pool pool_mode max_connections current_connections paused disabled"
                                + " budget",
                        operations.domains().stream().map(Console::database).toList());
            case "LISTS" -> table("list items", lists());
            case "CONFIG" ->
                table(
                        "key value default changeable",
                        List.of(
                                row("listen_port", port.port(), "6432", "no"),
                                row("loops", port.settings().loops(), WireSettings.defaultLoops(), "no")));
            case "VERSION" -> table("version", List.of(row("Headgate " + operations.version())));
            case "HELP" ->
                table(
                        "command",
                        List.of(
                                row("SHOW POOLS|STATS|SERVERS|CLIENTS|DATABASES|CONFIG|LISTS|VERSION"),
                                row("PAUSE [domain]"),
                                row("RESUME [domain]"),
                                row("RECONNECT [domain]"),
                                row("KILL client")));
            default -> throw new IllegalArgumentException("SHOW " + what + " is not known");
        }
    }

    /** @param active clients of each domain that has some */
    private static List<Object> pool(Directory.Domain domain, Map<String, Long> active) {
        PoolStatus now = domain.pool().status();
        return row(
                now.domain(),
                "",
                active.getOrDefault(now.domain(), 0L),
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

    private static List<Object> stats(Directory.Domain domain) {
        PoolStatus now = domain.pool().status();
        return row(
                now.domain(),
                now.totals().leases(),
                now.totals().requests(),
                now.totals().bytesOut(),
                now.totals().bytesIn(),
                now.totals().leasedNanos() / 1_000,
                now.totals().busyNanos() / 1_000,
                now.totals().waitedNanos() / 1_000,
                Math.round(now.waits().perSecond()), // every lease has a wait, which may be 0
                Math.round(now.latency().perSecond()),
                Math.round(now.traffic().bytesOutPerSecond()),
                Math.round(now.traffic().bytesInPerSecond()),
                Math.round(now.traffic().meanLeasedNanos() / 1e3),
                Math.round(now.latency().meanNanos() / 1e3),
                Math.round(now.waits().meanNanos() / 1e3),
                now.totals().refused(),
                now.totals().timedOut(),
                now.totals().errors(),
                now.latency().p99Nanos() / 1_000,
                now.waits().p99Nanos() / 1_000);
    }

    private static List<List<Object>> servers(Pool pool) {
        List<List<Object>> rows = new ArrayList<>();
        for (ConnectionStatus each : pool.connections()) {
            rows.add(row(
                    "S",
                    "",
                    pool.domain(),
                    each.lease().isPresent() ? "active" : "idle",
                    "",
                    0,
                    "",
                    0,
                    "",
                    "",
                    0,
                    0,
                    0,
                    each.id(),
                    each.lease().map(lease -> lease.holder()).orElse(""),
                    each.backendPid(),
                    "",
                    "headgate " + pool.domain(),
                    each.id(),
                    each.requests(),
                    each.errors(),
                    Math.round(each.sinceConnect().meanNanos() / 1e3),
                    each.sinceConnect().p99Nanos() / 1_000));
        }
        return rows;
    }

    private static List<Object> client(ClientStatus each) {
        int colon = each.address().lastIndexOf(':');
        return row(
                "C",
                each.user(),
                each.domain(),
                each.state(),
                each.address().substring(0, colon),
                each.address().substring(colon + 1),
                "",
                0,
                each.since().toString(),
                "",
                0,
                0,
                0,
                each.id(),
                each.connection(),
                each.id(),
                "",
                each.application(),
                each.transactions(),
                each.pinnedBy(),
                each.statements());
    }

    private static List<Object> database(Directory.Domain domain) {
        PoolStatus now = domain.pool().status();
        return row(
                now.domain(),
                "",
                0,
                now.database(),
                "",
                now.ceiling(),
                now.floor(),
                0,
                domain.mode().name().toLowerCase(Locale.ROOT),
                now.ceiling(),
                now.size(),
                now.state() == PoolStatus.State.PAUSED ? 1 : 0,
                now.state() == PoolStatus.State.DRAINING ? 1 : 0,
                now.budget());
    }

    private List<List<Object>> lists() {
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

    private static List<Object> row(Object... values) {
        return Arrays.asList(values);
    }

    private void table(String columns, List<List<Object>> rows) {
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
        for (List<Object> row : rows) {
            List<byte[]> values = row.stream()
                    .map(value -> value.toString().getBytes(StandardCharsets.UTF_8))
                    .toList();
            out.header(
                            'D',
                            2
                                    + values.stream()
                                            .mapToInt(value -> 4 + value.length)
                                            .sum())
                    .int16(values.size());
            for (byte[] value : values) {
                out.int32(value.length).write(value);
            }
        }
        complete("SHOW");
    }

    private void complete(String tag) {
        out.header('C', FrameWriter.sizeOf(tag)).cString(tag);
    }
}
