package dev.headgate.server.limits;

import org.springframework.boot.jackson.autoconfigure.JsonMapperBuilderCustomizer;
import org.springframework.stereotype.Component;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.type.LogicalType;

/**
 * Refuses numbers and booleans where a string is required, the number of a choice where its name is, and strings that cannot
 * be kept as they are ({@link WholeText}). The other types, and the limits, are Jackson's settings in application.yaml.
 */
@Component
final class StrictJson implements JsonMapperBuilderCustomizer {

    @Override
    public void customize(JsonMapper.Builder builder) {
        builder.withCoercionConfig(
                LogicalType.Textual,
                text -> text.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                        .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                        .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail));
        builder.withCoercionConfig(
                LogicalType.Enum, choice -> choice.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail));
        builder.addModule(new SimpleModule().addDeserializer(String.class, new WholeText()));
    }
}
