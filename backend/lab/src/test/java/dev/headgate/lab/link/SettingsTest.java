package dev.headgate.lab.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsTest {

    private static LinkProgram.Settings parse(String options) {
        return LinkProgram.Settings.parse(List.of(options.split(" ")));
    }

    @Test
    void everyFaultIsAnOption() {
        LinkProgram.Settings settings =
                parse("--listen 7000 --to=127.0.0.1:5432 --delay 1ms --jitter=500us --bandwidth 1MB/s"
                        + " --pieces 3 --black-hole");
        assertThat(settings.port()).isEqualTo(7000);
        assertThat(settings.target().getPort()).isEqualTo(5432);
        assertThat(settings.target().getAddress().isLoopbackAddress()).isTrue();
        assertThat(settings.faults())
                .containsExactly("delay 1ms", "jitter 500us", "bandwidth 1MB/s", "pieces 3", "black-hole");
    }

    @Test
    void anAddressOfSixWords() {
        assertThat(parse("--listen 0 --to [::1]:5432").target().getAddress().isLoopbackAddress())
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--listen 7000 | needs --listen PORT and --to HOST:PORT",
                "--to 127.0.0.1:5432 | needs --listen PORT and --to HOST:PORT",
                "--to 127.0.0.1:5432 --listen | --listen needs a value",
                "--to 127.0.0.1:5432 --listen 70000 | --listen takes a port from 0 to 65535, was '70000'",
                "--listen 1 --to 5432 | --to takes HOST:PORT, was '5432'",
                "--listen 1 --to 127.0.0.1:0 | --to takes a port from 1 to 65535, was '0'",
                "--delay 1 | delay takes a time such as 500us, 20ms or 1.5s, at most 60s, or off; was '1'",
                "--drop | does not know '--drop'; allowed are --listen, --to, --delay, --jitter, --bandwidth, --pieces, --black-hole, --help",
                "5432 | does not know '5432'; allowed are --listen, --to, --delay, --jitter, --bandwidth, --pieces, --black-hole, --help",
            })
    void aWrongOptionNamesWhatIsAllowed(String options, String message) {
        assertThatThrownBy(() -> parse(options))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }
}
