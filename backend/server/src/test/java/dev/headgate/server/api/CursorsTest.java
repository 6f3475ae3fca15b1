package dev.headgate.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.server.problems.ProblemException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CursorsTest {

    private static final Cursors<String> NAMES = Cursors.ofNames("names");

    @Test
    void pagesShowEachEntryOnceWhateverIsAddedOrRemovedBetween() {
        List<String> names = new ArrayList<>(List.of("d", "b", "a", "e", "c"));
        Page<String> first = page(names, 2, null);
        assertThat(first.items()).containsExactly("a", "b");

        names.addFirst("aa");
        names.remove("b");
        names.remove("c");
        Page<String> second = page(names, 2, first.nextCursor());
        assertThat(second.items()).containsExactly("d", "e");
        assertThat(second.nextCursor()).isNull();
    }

    @Test
    void aPageThatIsJustFullIsTheLast() {
        assertThat(page(List.of("a", "b"), 2, null)).isEqualTo(new Page<>(List.of("a", "b"), null));
        assertThat(page(List.of(), 2, "")).isEqualTo(new Page<>(List.of(), null));
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "!!", "bmFtZXM", "bmFtZXMvYQ==", "bmFtZXMvYR", "a b", "%"})
    void whatIsNoCursorIsRefused(String cursor) {
        assertThatThrownBy(() -> NAMES.paging(1, cursor))
                .isInstanceOf(ProblemException.class)
                .hasMessage("'cursor' must be the nextCursor of an earlier page of this list.");
    }

    @Test
    void aCursorIsOfItsListAndOfAKeyThatCanBe() {
        String cursor = NAMES.write("7");
        assertThat(NAMES.paging(1, cursor).after()).isEqualTo("7");
        assertThatThrownBy(() -> Cursors.ofNames("others").paging(1, cursor)).isInstanceOf(ProblemException.class);
        assertThat(new Cursors<>("names", Long::valueOf).paging(1, cursor).after())
                .isEqualTo(7L);
        assertThatThrownBy(() -> new Cursors<>("names", Long::valueOf).paging(1, NAMES.write("seven")))
                .isInstanceOf(ProblemException.class);
        String nul = Base64.getUrlEncoder().withoutPadding().encodeToString("names/\0".getBytes());
        assertThatThrownBy(() -> NAMES.paging(1, nul)).isInstanceOf(ProblemException.class);
    }

    private static Page<String> page(List<String> names, int limit, String cursor) {
        return NAMES.paging(limit, cursor).pick(names, name -> name, Comparator.<String>naturalOrder());
    }
}
