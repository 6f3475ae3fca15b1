package dev.headgate.server.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.headgate.engine.governor.Answer;
import dev.headgate.server.api.AnswerJson;
import dev.headgate.server.history.LimitTable.Facts;
import dev.headgate.server.history.LimitTable.Held;
import dev.headgate.server.history.LimitTable.Server;
import dev.headgate.spi.Limits;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LimitTableTest {

    private static final Held SIBLINGS =
            new Held(new TreeMap<>(Map.of("bank", 12, "gallery", 10, "blog", 0)), List.of());
    private static final Held NONE = new Held(new TreeMap<>(), List.of());
    private static final Server SERVER = new Server("db:5432", 97, 7, 20);
    private static final List<AnswerJson> OWN = List.of(answer("min-max", 20, "20 is enough."));

    @Test
    void theSmallestBindsAndTheNextOneIsNamed() {
        Facts facts = now(
                List.of(
                        answer("min-max", 20, "20 is enough."),
                        answer("latency-cap", 7, "An 8th would exceed the cap.")),
                List.of(answer("database/latency-cap", 30, "30 keep the cap.")),
                40,
                SIBLINGS,
                SERVER);
        assertThat(LimitTable.of(facts))
                .containsExactly(
                        new LimitRow("policy", "latency-cap", 7, true, "An 8th would exceed the cap.", true, false),
                        new LimitRow(
                                "database-policy",
                                "latency-cap",
                                8,
                                true,
                                "All domains together may hold 30, of which its siblings hold 22 (bank 12, gallery 10)."
                                        + " 30 keep the cap.",
                                false,
                                true),
                        new LimitRow(
                                "budget",
                                "main",
                                18,
                                true,
                                "The budget is 40, of which its siblings hold 22 (bank 12, gallery 10).",
                                false,
                                false),
                        new LimitRow("policy", "min-max", 20, true, "20 is enough.", false, false),
                        new LimitRow(
                                "server",
                                "db:5432",
                                48,
                                true,
                                "The server gives ordinary users 97, others use 7, Headgate uses 20 for other databases,"
                                        + " of which its siblings hold 22 (bank 12, gallery 10).",
                                false,
                                false));
    }

    @Test
    void thePastIsToldAsThePast() {
        assertThat(LimitTable.of(past(20, List.of(), List.of(answer("tiers", 30, "")), 40, SIBLINGS, SERVER)))
                .extracting(LimitRow::sentence)
                .containsExactly(
                        "All domains together could hold 30, of which its siblings held 22 (bank 12, gallery 10).",
                        "The budget was 40, of which its siblings held 22 (bank 12, gallery 10).",
                        "The server gave ordinary users 97, others used 7, Headgate used 20 for other databases,"
                                + " of which its siblings held 22 (bank 12, gallery 10).");
    }

    @Test
    void aPolicyWithoutACeilingBindsNothing() {
        List<LimitRow> rows = LimitTable.of(
                now(List.of(answer("tiers", Limits.UNSPECIFIED, "gold.")), List.of(), 5, SIBLINGS, SERVER));
        assertThat(rows.getFirst().source()).isEqualTo("budget");
        assertThat(rows.getFirst().allows()).isZero();
        assertThat(rows.getFirst().binds()).isTrue();
        assertThat(rows.getLast()).isEqualTo(new LimitRow("policy", "tiers", null, true, "gold.", false, false));
    }

    @Test
    void whatIsNotKnownHasARowThatSaysSo() {
        assertThat(LimitTable.of(past(null, null, null, null, null, null)))
                .containsExactly(
                        unknown("policy", "shop", "What its policies answered is not kept."),
                        unknown("database-policy", "main", "What the database's policies answered is not kept."),
                        unknown("budget", "main", "The budget is not kept."),
                        unknown("server", "main", "What the server gave is not kept."));
    }

    @Test
    void saysOfWhomTheConnectionsAreNotKnown() {
        Held some = new Held(new TreeMap<>(Map.of("bank", 12)), List.of("a", "b", "c", "d", "e"));
        Server beside = new Server("db:5432", 97, 0, null);
        assertThat(LimitTable.of(past(1, List.of(), List.of(), 40, some, beside)))
                .containsExactly(
                        unknown("budget", "main", "The budget was 40; what a, b, c and 2 more held is not known."),
                        unknown(
                                "server",
                                "db:5432",
                                "The server gave ordinary users 97; what Headgate used for other databases is not known."));
        assertThat(LimitTable.of(past(1, List.of(), List.of(), 40, null, SERVER))
                        .getFirst())
                .isEqualTo(unknown("budget", "main", "The budget was 40; what its siblings held is not known."));
    }

    @Test
    void marksNothingWhereWhatMayHaveBoundIsNotKnown() {
        assertThat(List.of(
                        past(20, null, List.of(), 40, SIBLINGS, SERVER),
                        past(20, OWN, null, 40, SIBLINGS, SERVER),
                        past(20, OWN, List.of(), null, SIBLINGS, SERVER),
                        past(20, OWN, List.of(), 40, null, SERVER),
                        past(null, OWN, List.of(), 60, SIBLINGS, null),
                        past(19, OWN, List.of(), 60, SIBLINGS, null)))
                .allSatisfy(facts -> assertThat(LimitTable.of(facts))
                        .noneMatch(LimitRow::binds)
                        .noneMatch(LimitRow::next));
    }

    /** The server gave what was open, so that it did not bind; it may have been the next. */
    @Test
    void aServerThatIsNotKnownDidNotBindAPoolThatHeldAsManyAsItsLimit() {
        assertThat(LimitTable.of(past(20, OWN, List.of(), 60, SIBLINGS, null)))
                .extracting(LimitRow::source, LimitRow::binds, LimitRow::next)
                .containsExactly(
                        tuple("policy", true, false), tuple("budget", false, false), tuple("server", false, false));
    }

    @Test
    void severalBindAtTheSameNumber() {
        assertThat(LimitTable.of(now(List.of(answer("min-max", 5, "5.")), List.of(), 5, NONE, SERVER)))
                .extracting(LimitRow::binds)
                .containsExactly(true, true, false);
    }

    private static Facts now(List<AnswerJson> own, List<AnswerJson> common, int budget, Held siblings, Server server) {
        return new Facts(false, "shop", "main", 1, own, common, budget, siblings, server);
    }

    private static Facts past(
            @Nullable Integer size,
            @Nullable List<AnswerJson> own,
            @Nullable List<AnswerJson> common,
            @Nullable Integer budget,
            @Nullable Held siblings,
            @Nullable Server server) {
        return new Facts(true, "shop", "main", size, own, common, budget, siblings, server);
    }

    private static LimitRow unknown(String source, String name, String sentence) {
        return new LimitRow(source, name, null, false, sentence, false, false);
    }

    private static AnswerJson answer(String policy, int ceiling, String reason) {
        return AnswerJson.of(
                new Answer(policy, Limits.unbounded().withCeiling(ceiling).because(reason)));
    }
}
