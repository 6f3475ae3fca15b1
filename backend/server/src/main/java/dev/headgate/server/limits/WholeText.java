package dev.headgate.server.limits;

import dev.headgate.server.problems.UnkeptText;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.deser.jdk.StringDeserializer;

/** Reads a string of JSON, and refuses one that the control store could not keep as it is. */
final class WholeText extends StringDeserializer {

    @Override
    public @Nullable String deserialize(JsonParser parser, DeserializationContext context) {
        @Nullable String text = super.deserialize(parser, context);
        if (text != null) {
            UnkeptText.refuse(parser, text);
        }
        return text;
    }
}
