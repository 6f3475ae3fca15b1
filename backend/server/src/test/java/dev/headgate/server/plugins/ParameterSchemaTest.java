package dev.headgate.server.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.networknt.schema.SchemaException;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.Faults;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
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

    @Test
    void aParameterThatTheSchemaDoesNotKnowIsPointedAt() {
        ParameterSchema schema =
                new ParameterSchema("{\"properties\": {\"max\": {}}, \"additionalProperties\": false}");
        assertThat(schema.check(JsonMapper.shared().readTree("{\"most/~\": 1}")))
                .containsExactly(new Fault("/most~1~0", "is not a parameter of this plugin", "max"));
    }

    @Test
    void aSchemaWithoutEndIsBrokenAndEndsNoThread() {
        ParameterSchema schema = new ParameterSchema("""
                {"type": "object", "properties": {"max": {"$ref": "#/properties/max"}}}""");
        assertThat(schema.check(JsonMapper.shared().readTree("{}"))).isEmpty();
        assertThatThrownBy(() -> schema.check(JsonMapper.shared().readTree("{\"max\": 1}")))
                .isInstanceOf(SchemaException.class)
                .hasMessage("it refers to itself without end");
    }

    /** Every fault is a dozen objects, and all would be there before the first hundred are taken. */
    @Test
    void ofVeryManyValuesOneFaultIsTold() {
        ParameterSchema schema = new ParameterSchema("""
                {"properties": {"list": {"type": "array", "items": {"type": "integer"}}}}""");
        assertThat(schema.check(list(900))).hasSize(Faults.MOST);
        assertThat(schema.check(list(100_000))).singleElement().satisfies(fault -> {
            assertThat(fault.pointer()).isEqualTo("/list/0");
            assertThat(fault.message()).isEqualTo("must be a whole number, was \"x\"");
        });
    }

    private static JsonNode list(int size) {
        return JsonMapper.shared().readTree("{\"list\": [\"x\"" + ", \"x\"".repeat(size - 1) + "]}");
    }
}
