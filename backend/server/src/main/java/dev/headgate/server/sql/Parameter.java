package dev.headgate.server.sql;

import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.deser.std.StdDeserializer;

/**
 * A parameter of a statement as PostgreSQL's text. In JSON: null is NULL, a string is taken as it is, a number and a boolean by
 * their JSON text (so a number loses no digit), an object is its JSON text, and an array is an array literal.
 *
 * @param text null for NULL
 */
@Schema(types = {"string", "number", "boolean", "object", "array", "null"})
@JsonDeserialize(using = Parameter.Reader.class)
record Parameter(@Nullable String text) {

    static final Parameter NULL = new Parameter(null);

    /** Reads it token by token: a tree would round numbers. */
    static final class Reader extends StdDeserializer<Parameter> {

        Reader() {
            super(Parameter.class);
        }

        @Override
        public Parameter deserialize(JsonParser json, DeserializationContext context) {
            return new Parameter(read(json));
        }

        @Override
        public Parameter getNullValue(DeserializationContext context) {
            return NULL;
        }

        private static @Nullable String read(JsonParser json) {
            return switch (json.currentToken()) {
                case VALUE_NULL -> null;
                case START_OBJECT -> {
                    StringBuilder text = new StringBuilder();
                    object(json, text);
                    yield text.toString();
                }
                case START_ARRAY -> {
                    StringBuilder literal = new StringBuilder();
                    array(json, literal);
                    yield literal.toString();
                }
                default -> json.getString();
            };
        }

        /** An array literal (PostgreSQL documentation, "Array Input and Output Syntax"). */
        private static void array(JsonParser json, StringBuilder literal) {
            char separator = '{';
            for (JsonToken token = json.nextToken(); token != JsonToken.END_ARRAY; token = json.nextToken()) {
                literal.append(separator);
                separator = ',';
                switch (token) {
                    case VALUE_NULL -> literal.append("NULL");
                    case START_ARRAY -> array(json, literal);
                    case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT, VALUE_TRUE, VALUE_FALSE ->
                        literal.append(json.getString());
                    default -> quote(String.valueOf(read(json)), literal);
                }
            }
            literal.append(separator == '{' ? "{}" : "}");
        }

        private static void quote(String text, StringBuilder literal) {
            literal.append('"');
            for (int i = 0; i < text.length(); i++) {
                char each = text.charAt(i);
                if (each == '"' || each == '\\') {
                    literal.append('\\');
                }
                literal.append(each);
            }
            literal.append('"');
        }

        private static void object(JsonParser json, StringBuilder text) {
            text.append('{');
            String separator = "";
            for (JsonToken token = json.nextToken(); token != JsonToken.END_OBJECT; token = json.nextToken()) {
                text.append(separator);
                separator = ",";
                JsonText.quote(json.currentName(), text);
                text.append(':');
                json.nextToken();
                value(json, text);
            }
            text.append('}');
        }

        private static void value(JsonParser json, StringBuilder text) {
            switch (json.currentToken()) {
                case START_OBJECT -> object(json, text);
                case START_ARRAY -> {
                    text.append('[');
                    String separator = "";
                    for (JsonToken token = json.nextToken(); token != JsonToken.END_ARRAY; token = json.nextToken()) {
                        text.append(separator);
                        separator = ",";
                        value(json, text);
                    }
                    text.append(']');
                }
                case VALUE_STRING -> JsonText.quote(json.getString(), text);
                default -> text.append(json.getString());
            }
        }
    }
}
