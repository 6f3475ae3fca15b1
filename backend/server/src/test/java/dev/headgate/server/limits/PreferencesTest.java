package dev.headgate.server.limits;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PreferencesTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "respond-async",
                "Respond-Async",
                " respond-async ; wait=10",
                "return=minimal, respond-async",
                "wait=10,respond-async,handling=lenient",
                "foo=\"a, b\\\", c\", respond-async",
                "respond-async=\"\"",
                ", ,respond-async",
            })
    void aCallerPrefersToFetchTheAnswerLater(String prefer) {
        assertThat(Preferences.respondAsync(prefer)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "return=minimal",
                "respond-asynchronously",
                "x-respond-async",
                "no-respond-async",
                "respond-async=no, respond-async",
                "foo=respond-async",
                "foo; respond-async",
                "foo=\"a, respond-async\"",
                "foo=\"a, respond-async",
            })
    void orHasNotSaidSo(String prefer) {
        assertThat(Preferences.respondAsync(prefer)).isFalse();
    }

    @Test
    void norWhereThereIsNoHeader() {
        assertThat(Preferences.respondAsync(null)).isFalse();
    }
}
