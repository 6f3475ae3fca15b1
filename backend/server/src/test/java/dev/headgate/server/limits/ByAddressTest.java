package dev.headgate.server.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ByAddressTest {

    private final ByAddress<String, String> open = new ByAddress<>();
    private final Set<String> inUse = new HashSet<>();
    private final List<String> ended = new ArrayList<>();

    private boolean ends(String connection) {
        return !inUse.contains(connection) && ended.add(connection);
    }

    private void add(String address, String... connections) {
        for (String each : connections) {
            open.add(address, each);
        }
    }

    @Test
    void theOldestOfTheAddressWithTheMostIsEnded() {
        add("one", "a");
        add("other", "b", "c", "d");
        assertThat(open.endsOneOfTheMost(this::ends)).isTrue();
        inUse.add("c");
        assertThat(open.endsOneOfTheMost(this::ends)).isTrue();
        assertThat(ended).containsExactly("b", "d");
        assertThat(open.size("other")).isEqualTo(1);
        assertThat(open.endsOneOf("other", this::ends)).isFalse();
        assertThat(open.endsOneOf("nobody", this::ends)).isFalse();
    }

    @Test
    void whereAllOfThemAreInUseItIsOneOfTheNext() {
        add("one", "a");
        add("other", "b", "c");
        inUse.addAll(List.of("b", "c"));
        assertThat(open.endsOneOfTheMost(this::ends)).isTrue();
        assertThat(open.endsOneOfTheMost(this::ends)).isFalse();
        assertThat(ended).containsExactly("a");
    }

    @Test
    void whoIsGoneCountsNoMore() {
        add("one", "a", "b");
        add("other", "c");
        open.remove("one", "a");
        open.remove("nobody", "a");
        open.forget("c"::equals);
        assertThat(open.size()).isEqualTo(1);
        assertThat(open.size("one")).isEqualTo(1);
        assertThat(open.size("other")).isZero();
    }
}
