package dev.headgate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StatusCommandTest {

    @TempDir
    Path folder;

    private ScriptedService service;

    @BeforeEach
    void open() throws IOException {
        service = new ScriptedService()
                .answering("/session", 200, "{\"name\":\"admin\",\"node\":\"headgate-1\",\"version\":\"0.1.0\"}")
                .answering("/memory", 200, """
                        {"mostBytes": 134217728, "reservedBytes": 3355443, "holders": [
                          {"holder": "wire", "reservedBytes": 3145728, "highestBytes": 9, "mostBytes": 100663296, "refused": 2},
                          {"holder": "history", "reservedBytes": 209715, "highestBytes": 9, "mostBytes": 50331648, "refused": 1}],
                         "counts": [{"of": "databases", "now": 2, "most": 500}, {"of": "domains", "now": 2, "most": 2000}]}""");
    }

    @AfterEach
    void close() {
        service.close();
    }

    @Test
    void databasesPoolsAndAlarmsAreShown() {
        service.answering("/databases", 200, """
                        {"items": [
                          {"name": "main", "host": "127.0.0.1", "port": 5433, "database": "demo", "open": 27, "budget": 40,
                           "othersUse": 4, "health": {"code": "fine", "label": "fine"}, "alarms": []},
                          {"name": "away", "host": "db", "port": 5432, "database": "shop", "open": 0, "budget": 5,
                           "othersUse": null, "health": {"code": "unreachable", "label": "unreachable"},
                           "alarms": [{"code": "unreachable", "message": "away has been unreachable", "detail": "connection refused",
                                       "since": "2026-11-21T12:01:00Z", "severity": "critical", "reach": "database"}]}]}""").answering("/domains", 200, """
                        {"items": [
                          {"name": "auction", "database": "main", "pool": {"health": {"label": "at ceiling"}, "size": 7, "inUse": 7, "waiting": 12,
                           "floor": 2, "ceiling": 7, "limit": {"by": "policy", "policy": "latency-cap", "holdsBack": true},
                           "latency": {"count": 3420, "meanMs": 18.94, "p99Ms": 41.0, "perSecond": 342.0},
                           "alarms": [{"code": "at-ceiling", "message": "auction has been held at its latency cap", "detail": "it may hold 7 connections",
                                       "since": "2026-11-21T12:00:53Z", "severity": "warning", "reach": "domain"},
                                      {"code": "thread-failed", "message": "A thread has failed", "detail": "",
                                       "since": "2026-11-21T12:02:00Z", "severity": "warning", "reach": "service"}]}},
                          {"name": "bank", "database": "away", "pool": {"health": {"label": "paused"}, "size": 0, "inUse": 0, "waiting": 0,
                           "floor": 0, "ceiling": 20, "limit": {"by": "nothing", "policy": null, "holdsBack": false},
                           "latency": {"count": 0, "meanMs": null, "p99Ms": null, "perSecond": 0},
                           "alarms": [{"code": "thread-failed", "message": "A thread has failed", "detail": "",
                                       "since": "2026-11-21T12:02:00Z", "severity": "warning", "reach": "service"}]}}]}""");
        Ran status = run();
        assertThat(status.err()).isEmpty();
        assertThat(status.code()).isZero();
        assertThat(status.out()).isEqualTo("""
                Headgate 0.1.0, node headgate-1, at %s
                Memory held for callers: 3.4 of 134.2 MB (wire 3.1, history 0.2), refused 3 times
                There are 2 of 500 databases, 2 of 2000 domains

                DATABASE  AT                   OPEN  BUDGET  OTHERS USE  STATE
                main      127.0.0.1:5433/demo  27    40      4           fine
                away      db:5432/shop         0     5       -           unreachable: connection refused

                DOMAIN   DATABASE  STATE       IN USE  SIZE  FLOOR  CEILING  WAITING  MEAN MS  P99 MS  PER SECOND  HELD BACK BY
                auction  main      at ceiling  7       7     2      7        12       18.9     41.0    342.0       latency-cap
                bank     away      paused      0       0     0      20       0        -        -       0.0         -

                ALARM          OF             SEVERITY  SINCE                 MESSAGE
                unreachable    database/away  critical  2026-11-21T12:01:00Z  away has been unreachable: connection refused
                at-ceiling     auction        warning   2026-11-21T12:00:53Z  auction has been held at its latency cap: it may hold 7 connections
                thread-failed  service        warning   2026-11-21T12:02:00Z  A thread has failed
                """.formatted(service.url()));
    }

    @Test
    void everyPageOfAListIsShown() {
        service.answering("/databases", 200, "{\"items\": [], \"nextCursor\": null}")
                .answering(
                        "/domains?limit=500", 200, "{\"items\": [{\"name\": \"auction\"}], \"nextCursor\": \"a-_1\"}")
                .answering(
                        "/domains?limit=500&cursor=a-_1",
                        200,
                        "{\"items\": [{\"name\": \"bank\"}], \"nextCursor\": null}");
        assertThat(run().out()).contains("auction  -").contains("bank     -");
    }

    @Test
    void anEmptyServiceHasNothingToShow() {
        service.answering("/databases", 200, "{\"items\": []}").answering("/domains", 200, "{\"items\": []}");
        assertThat(run().out()).endsWith("\n\nNo databases.\n\nNo domains.\n\nNo alarms.\n");
    }

    @Test
    void whoDoesNotAnswerAsHeadgateDoesIsTold() {
        service.answering("/databases", 200, "<html>");
        assertThat(run())
                .isEqualTo(new Ran(
                        1,
                        "",
                        "headgate: " + service.url()
                                + " does not answer as Headgate does: no JSON at /api/v1/databases\n"));
    }

    @Test
    void whatCannotBeTriedEndsWithTwo() {
        assertThat(run("--force"))
                .isEqualTo(new Ran(
                        2,
                        "",
                        "headgate: status does not know '--force'; './headgate status --help' lists what it does\n"));
        Ran withoutToken = Ran.with(Map.of("HEADGATE_URL", service.url()), folder, "status");
        assertThat(withoutToken.code()).isEqualTo(2);
        assertThat(withoutToken.err()).startsWith("headgate: no token: ");
        assertThat(service.asked()).isEmpty();
    }

    /** It may be a file of settings with passwords in it. */
    @Test
    void whatIsNoTokenIsNamedAndNotQuoted() throws IOException {
        Path settings = Files.writeString(folder.resolve("settings.env"), "PASSWORD=hunter2\nPORT=1\n");
        Ran ofFile = run("--token-file", settings.toString());
        assertThat(ofFile.code()).isEqualTo(2);
        assertThat(ofFile.err()).contains("settings.env' holds no token").doesNotContain("hunter2");
        Ran ofVariable =
                Ran.with(Map.of("HEADGATE_URL", service.url(), "HEADGATE_TOKEN", "two\nlines"), folder, "status");
        assertThat(ofVariable.err())
                .startsWith("headgate: HEADGATE_TOKEN holds no token")
                .doesNotContain("lines");
        assertThat(service.asked()).isEmpty();
    }

    @Test
    void helpIsAPage() {
        assertThat(run("--help").out()).startsWith("./headgate status [options]");
    }

    private Ran run(String... options) {
        String[] arguments = new String[options.length + 1];
        arguments[0] = "status";
        System.arraycopy(options, 0, arguments, 1, options.length);
        return Ran.with(
                Map.of("HEADGATE_URL", service.url(), "HEADGATE_TOKEN", ScriptedService.TOKEN), folder, arguments);
    }
}
