package dev.headgate.server.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.server.problems.Fault;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class ParameterSchemaTest {

    private static final String SCHEMA = """
            {"type": "object",
             "properties": {"from": {"description": "As HH:MM.", "type": "string", "pattern": "^[0-9]{2}:[0-9]{2}$"}}}
            """;

    @Test
    void aValueOfAnotherFormIsRefusedInTheAuthorsWords() {
        assertThat(new ParameterSchema(SCHEMA).check(JsonMapper.shared().readTree("{\"from\": \"noon\"}")))
                .containsExactly(
                        new Fault("/from", "does not have the form that it must have, was \"noon\"", "As HH:MM."));
    }
}
