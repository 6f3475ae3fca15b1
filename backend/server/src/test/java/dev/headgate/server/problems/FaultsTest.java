package dev.headgate.server.problems;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.sql.Query;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FaultsTest {

    @Test
    void theFirstAreKeptAndTheOthersCounted() {
        Faults faults = new Faults();
        assertThat(faults.isEmpty()).isTrue();
        for (int i = 0; i < Faults.MOST + 5; i++) {
            assertThat(faults.isFull()).isEqualTo(i >= Faults.MOST);
            faults.add(Fault.at("/" + i, "is wrong"));
        }
        assertThat(faults.found()).isEqualTo(Faults.MOST + 5);
        assertThat(faults.list()).hasSize(Faults.MOST).last().isEqualTo(Fault.at("/99", "is wrong"));
    }

    @Test
    void aProblemTellsTheFirstOfAnyList() {
        List<Fault> many = Collections.nCopies(1_000, Fault.at("/a", "is wrong"));
        ProblemException problem = ProblemException.of(ProblemType.INVALID_REQUEST, many);
        assertThat(problem.faults()).hasSize(Faults.MOST);
        assertThat(problem).hasMessage("100 faults or more; these are the first 100");
        assertThat(ProblemException.of(ProblemType.INVALID_REQUEST, many.subList(0, 1)))
                .hasMessage("1 fault");
        assertThat(ProblemException.of(ProblemType.INVALID_REQUEST, many.subList(0, 99)))
                .hasMessage("99 faults");
    }

    @Test
    void whatAFaultQuotesIsCut() {
        Fault fault = Fault.at("/a", "was " + "x".repeat(1_000_000), "y".repeat(2_000));
        assertThat(fault.message()).hasSize(1_001).endsWith("x…");
        assertThat(fault.allowed()).hasSize(1_001).endsWith("y…");
    }

    @Test
    void ofManyNamesTheFirstAreTold() {
        assertThat(Fault.names(List.of())).isEmpty();
        assertThat(Fault.names(List.of("a", "b"))).isEqualTo("a, b");
        assertThat(Fault.names(names(20))).endsWith("18, 19");
        assertThat(Fault.names(names(2_000))).startsWith("0, 1, ").endsWith("18, 19 and 1980 more");
    }

    private static List<String> names(int count) {
        return IntStream.range(0, count).mapToObj(String::valueOf).toList();
    }

    @Test
    void whatAMessageQuotesIsNotCutWithinACharacter() {
        String quoted = "😀".repeat(700);
        for (String before : List.of("", "a")) {
            Fault fault = Fault.at("/policies/0/plugin", before + quoted, before + quoted);
            assertThat(Query.hasHalfCharacter(fault.message())).isFalse();
            assertThat(Query.hasHalfCharacter(String.valueOf(fault.allowed()))).isFalse();
            assertThat(fault.message()).endsWith("😀…").hasSizeBetween(1_000, 1_001);
        }
    }
}
