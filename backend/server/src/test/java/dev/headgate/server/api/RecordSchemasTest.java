package dev.headgate.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.swagger.v3.core.converter.AnnotatedType;
import io.swagger.v3.core.converter.ModelConverters;
import io.swagger.v3.oas.models.media.Schema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RecordSchemasTest {

    record ChangeRequest(String name, @Nullable Integer budget) {}

    @Test
    void everyFieldOfAnAnswerIsRequired() {
        Schema<?> pool = schemas(PoolJson.class).get("Pool");

        assertThat(pool.getRequired())
                .containsExactlyInAnyOrderElementsOf(pool.getProperties().keySet())
                .contains("wait", "size", "degradedReason")
                .hasSize(PoolJson.class.getRecordComponents().length);
    }

    @Test
    void aNullableFieldAllowsNullAndNoOtherDoes() {
        Map<String, Schema<?>> schemas = schemas(PoolJson.class);

        assertThat(property(schemas, "Pool", "degradedReason").getTypes()).containsExactlyInAnyOrder("string", "null");
        assertThat(property(schemas, "Pool", "size").getTypes()).containsExactly("integer");
        assertThat(property(schemas, "Answer", "ceiling").getTypes()).containsExactlyInAnyOrder("integer", "null");
    }

    @Test
    void aNullableReferenceIsAChoiceWithNull() {
        Schema<?> binding = property(schemas(PoolJson.class), "Pool", "binding");

        List<Schema<?>> choices = new ArrayList<>();
        binding.getAnyOf().forEach(choices::add);
        assertThat(choices).hasSize(2);
        assertThat(choices.getFirst().get$ref()).isEqualTo("#/components/schemas/Binding");
        assertThat(choices.getLast().getTypes()).containsExactly("null");
    }

    @Test
    void anElementOfAListMayBeNullable() {
        Map<String, Schema<?>> schemas = schemas(ConnectionColumns.class);

        assertThat(property(schemas, "ConnectionColumns", "holder").getItems().getTypes())
                .containsExactlyInAnyOrder("string", "null");
        assertThat(property(schemas, "ConnectionColumns", "id").getItems().getTypes())
                .containsExactly("string");
    }

    @Test
    void aRequestMayLeaveItsNullableFieldsOut() {
        assertThat(schemas(ChangeRequest.class).get("ChangeRequest").getRequired())
                .containsExactly("name");
    }

    @Test
    void anAnswerMayLeaveOutWhatIsNotWrittenWhereItIsNull() {
        assertThat(schemas(DatabaseSummaryJson.class).get("DatabaseSummary").getRequired())
                .contains("othersUse")
                .doesNotContain("answers");
    }

    @Test
    void noSchemaKeepsTheSuffixOfItsRecord() {
        for (Class<?> shape : new Class<?>[] {
            PoolJson.class,
            ConnectionJson.class,
            DatabaseJson.class,
            DatabaseSummaryJson.class,
            DecisionJson.class,
            SampleJson.class,
            HistoryJson.class,
            ConnectionColumns.class
        }) {
            assertThat(schemas(shape).keySet()).noneMatch(name -> name.endsWith("Json"));
        }
    }

    private static Schema<?> property(Map<String, Schema<?>> schemas, String name, String property) {
        return (Schema<?>) schemas.get(name).getProperties().get(property);
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Schema<?>> schemas(Class<?> shape) {
        ModelConverters converters = new ModelConverters(true);
        converters.addConverter(new RecordSchemas());
        Map<String, Schema<?>> schemas = (Map<String, Schema<?>>)
                (Map<?, ?>) converters.resolveAsResolvedSchema(new AnnotatedType(shape)).referencedSchemas;
        assertThat(schemas)
                .as(() -> Arrays.toString(schemas.keySet().toArray()))
                .isNotEmpty();
        return schemas;
    }
}
