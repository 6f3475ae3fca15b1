package dev.headgate.server.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.governor.Answer;
import dev.headgate.server.api.AnswerJson;
import dev.headgate.server.history.LimitTable.Facts;
import dev.headgate.server.history.LimitTable.Server;
import dev.headgate.spi.Limits;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class LimitTableTest {

    private static final TreeMap<String, Integer> SIBLINGS =
            new TreeMap<>(Map.of("bank", 12, "gallery", 10, "blog", 0));

    @Test
    void theSmallestBindsAndTheNextOneIsNamed() {
        Facts facts = new Facts(
                "main",
                List.of(
                        answer("min-max", 20, "20 is enough."),
                        answer("latency-cap", 7, "An 8th would exceed the cap.")),
                List.of(answer("database/latency-cap", 30, "30 keep the cap.")),
                40,
                false,
                SIBLINGS,
                new Server("db:5432", 97, 7, 20));
        assertThat(LimitTable.of(facts))
                .containsExactly(
                        new LimitRow("policy", "latency-cap", 7, "An 8th would exceed the cap.", true, false),
                        new LimitRow(
                                "database-policy",
                                "latency-cap",
                                8,
                                "All domains together may hold 30, of which its siblings hold 22 (bank 12, gallery 10)."
                                        + " 30 keep the cap.",
                                false,
                                true),
                        new LimitRow(
                                "budget",
                                "main",
                                18,
                                "The budget is 40, of which its siblings hold 22 (bank 12, gallery 10).",
                                false,
                                false),
                        new LimitRow("policy", "min-max", 20, "20 is enough.", false, false),
                        new LimitRow(
                                "server",
                                "db:5432",
                                48,
                                "The server gives ordinary users 97, others use 7, Headgate uses 20 for other databases,"
                                        + " of which its siblings hold 22 (bank 12, gallery 10).",
                                false,
                                false));
    }

    @Test
    void aPolicyWithoutACeilingBindsNothing() {
        Facts facts = new Facts(
                "main", List.of(answer("tiers", Limits.UNSPECIFIED, "gold.")), List.of(), 5, false, SIBLINGS, null);
        List<LimitRow> rows = LimitTable.of(facts);
        assertThat(rows.getFirst().source()).isEqualTo("budget");
        assertThat(rows.getFirst().allows()).isZero();
        assertThat(rows.getFirst().binds()).isTrue();
        assertThat(rows.getLast()).isEqualTo(new LimitRow("policy", "tiers", null, "gold.", false, false));
    }

    @Test
    void saysWhereTheSiblingsAreNotKnownAnyMore() {
        assertThat(LimitTable.of(new Facts("main", List.of(), List.of(), 5, true, null, null)))
                .containsExactly(new LimitRow(
                        "budget",
                        "main",
                        5,
                        "The budget is 5 today; what its siblings held is not known any more.",
                        false,
                        false));
    }

    @Test
    void marksNothingWhereWhatMayHaveBoundIsNotKnown() {
        List<AnswerJson> own = List.of(answer("min-max", 20, "20 is enough."));
        assertThat(LimitTable.of(new Facts("main", own, List.of(), 40, true, null, null)))
                .noneMatch(LimitRow::binds)
                .noneMatch(LimitRow::next);
        assertThat(LimitTable.of(new Facts("main", null, List.of(), 40, true, SIBLINGS, null)))
                .noneMatch(LimitRow::binds);
        assertThat(LimitTable.of(new Facts("main", own, List.of(), 40, true, SIBLINGS, null)))
                .extracting(LimitRow::binds)
                .containsExactly(true, false);
    }

    @Test
    void severalBindAtTheSameNumber() {
        Facts facts =
                new Facts("main", List.of(answer("min-max", 5, "5.")), List.of(), 5, false, new TreeMap<>(), null);
        assertThat(LimitTable.of(facts)).extracting(LimitRow::binds).containsExactly(true, true);
    }

    private static AnswerJson answer(String policy, int ceiling, String reason) {
        return AnswerJson.of(
                new Answer(policy, Limits.unbounded().withCeiling(ceiling).because(reason)));
    }
}
