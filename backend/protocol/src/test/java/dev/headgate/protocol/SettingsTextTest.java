package dev.headgate.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class SettingsTextTest {

    @Test
    void options_are_read_as_the_server_does() {
        assertThat(SettingsText.options("-c a.b=1 -cwork_mem=2MB  --search-path=x,y\t-c  c-d=e=f"))
                .isEqualTo(Map.of("a.b", "1", "work_mem", "2MB", "search_path", "x,y", "c_d", "e=f"));
        assertThat(SettingsText.options("-c a=x\\ y\\\\z\\-\\")).isEqualTo(Map.of("a", "x y\\z-"));
        assertThat(SettingsText.options("\\-c a=1")).isEqualTo(Map.of("a", "1"));
        assertThat(SettingsText.options("-c a= --b=")).isEqualTo(Map.of("a", "", "b", ""));
        assertThat(SettingsText.options("-c a=1 -c a=2")).isEqualTo(Map.of("a", "2"));
    }

    @Test
    void what_is_no_setting_is_passed_over() {
        for (String options : new String[] {"", "  ", "-c", "--", "-c a", "project=x", "-B 100", "-e", "-c =1", "\\"}) {
            assertThat(SettingsText.options(options)).as(options).isEmpty();
        }
    }

    @Test
    void a_startup_message_becomes_commands() {
        assertThat(SettingsText.of(
                        Map.of("user", "u", "options", "-c Work_Mem=1", "DateStyle", "ISO", "database", "d")))
                .isEqualTo(Map.of(
                        "work_mem", "SELECT pg_catalog.set_config('work_mem', '1', false)",
                        "datestyle", "SELECT pg_catalog.set_config('datestyle', 'ISO', false)",
                        "application_name", "SELECT pg_catalog.set_config('application_name', '', false)"));
        assertThat(SettingsText.of(Map.of("application_name", "o'\\x")))
                .isEqualTo(Map.of(
                        "application_name", "SELECT pg_catalog.set_config('application_name', E'o''\\\\x', false)"));
        for (String name : new String[] {"a'b", "", "1a", "a b", "-", "é"}) {
            assertThatThrownBy(() -> SettingsText.of(Map.of(name, "1")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(name);
        }
        assertThatThrownBy(() -> SettingsText.of(Map.of("options", "-c a';b=1")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** A regular expression ran out of stack at some ten thousand escapes. */
    @Test
    void long_options_take_no_stack() {
        String value = "\\ ".repeat(500_000);
        assertThat(SettingsText.options("-c a=" + value).get("a")).hasSize(500_000);
    }
}
