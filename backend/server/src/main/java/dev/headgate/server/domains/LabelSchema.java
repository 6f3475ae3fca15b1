package dev.headgate.server.domains;

import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.media.JsonSchema;
import io.swagger.v3.oas.models.media.Schema;
import java.util.Set;
import org.springdoc.core.customizers.GlobalOpenApiCustomizer;
import org.springframework.stereotype.Component;

/** Says in the OpenAPI document what labels are made of. */
@Component
final class LabelSchema implements GlobalOpenApiCustomizer {

    private static final String NAME = "Labels";
    static final String REFERENCE = "#/components/schemas/" + NAME;

    @Override
    public void customise(OpenAPI document) {
        Schema<?> labels = typed("object");
        labels.setMaxProperties(Labels.MOST);
        labels.setPropertyNames(text(Labels.NAME));
        labels.setAdditionalProperties(text(Labels.VALUE));
        document.getComponents().addSchemas(NAME, labels);
    }

    private static Schema<?> text(String pattern) {
        Schema<?> text = typed("string");
        text.setPattern(pattern);
        return text;
    }

    private static Schema<?> typed(String type) {
        return new JsonSchema().types(Set.of(type));
    }
}
