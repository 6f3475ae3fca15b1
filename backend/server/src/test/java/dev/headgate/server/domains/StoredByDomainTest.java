package dev.headgate.server.domains;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class StoredByDomainTest {

    private final Map<String, String> store = new TreeMap<>(Map.of("bank", "a", "shop", "b"));
    private final List<String> reads = new ArrayList<>();
    private boolean down;
    private final StoredByDomain<String> stored = new StoredByDomain<>(
            () -> {
                reads.add("all");
                requireUp();
                return Map.copyOf(store);
            },
            domain -> {
                reads.add(domain);
                requireUp();
                return Optional.ofNullable(store.get(domain));
            });

    private void requireUp() {
        if (down) {
            throw new IllegalStateException("the store is down");
        }
    }

    /** Else making many domains costs the square of their number. */
    @Test
    void aChangeReadsItsDomainAlone() {
        stored.read();
        store.put("bank", "c");
        store.put("gallery", "d");
        stored.follow("bank");
        stored.follow("gallery");
        store.remove("shop");
        stored.follow("shop");
        assertThat(reads).containsExactly("all", "bank", "gallery", "shop");
        assertThat(stored.get("bank")).isEqualTo("c");
        assertThat(stored.get("shop")).isNull();
        assertThat(stored.domains()).containsExactlyInAnyOrder("bank", "gallery");
    }

    @Test
    void aChangeOfAPieceReadsThatAlone() {
        stored.read();
        store.put("bank", "not read");
        stored.follow("bank", before -> before + "1");
        stored.follow("nowhere", before -> before + "1");
        assertThat(reads).containsExactly("all");
        assertThat(stored.get("bank")).isEqualTo("a1");
        assertThat(stored.get("nowhere")).isNull();

        assertThatThrownBy(() -> stored.follow("bank", _ -> {
                    throw new IllegalStateException("the store is down");
                }))
                .hasMessage("the store is down");
        stored.follow("shop", before -> before + "1");
        assertThat(reads).containsExactly("all", "all");
        assertThat(stored.get("bank")).isEqualTo("not read");
    }

    @Test
    void whatCouldNotBeReadComesWithTheNextChange() {
        stored.read();
        store.put("bank", "c");
        store.remove("shop");
        down = true;
        assertThatThrownBy(() -> stored.follow("bank")).hasMessage("the store is down");
        assertThat(stored.isComplete()).isFalse();
        assertThat(stored.get("bank")).isEqualTo("a");
        assertThat(stored.get("shop")).isEqualTo("b");

        down = false;
        store.put("gallery", "d");
        stored.follow("gallery");
        assertThat(stored.isComplete()).isTrue();
        assertThat(reads).containsExactly("all", "bank", "all");
        assertThat(stored.get("bank")).isEqualTo("c");
        assertThat(stored.domains()).containsExactlyInAnyOrder("bank", "gallery");
    }

    @Test
    void beforeTheFirstReadAChangeReadsAll() {
        stored.follow("bank");
        assertThat(reads).containsExactly("all");
        assertThat(stored.get("shop")).isEqualTo("b");
    }
}
