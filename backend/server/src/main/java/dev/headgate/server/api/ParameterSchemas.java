package dev.headgate.server.api;

import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.media.JsonSchema;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.parameters.Parameter;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springdoc.core.customizers.GlobalOperationCustomizer;
import org.springframework.stereotype.Component;
import org.springframework.web.method.HandlerMethod;

/**
 * Makes the OpenAPI document say what the names and ids in a path, and cursors, are made of. Where a parameter says it itself, that
 * holds.
 *
 * <p>Called by springdoc when it builds the document, on one thread at a time.
 */
@Component
final class ParameterSchemas implements GlobalOperationCustomizer {

    private static final Set<String> NAMED = Set.of("domain", "database");
    private static final String NAME = "^[a-z][a-z0-9-]{0,62}$";

    /** Of everything that Headgate numbers by itself, of clients and of versions. */
    private static final String ID = "^[A-Za-z0-9_][A-Za-z0-9_.+-]*$";

    private static final String CURSOR = "^[A-Za-z0-9_-]*$";

    @Override
    public Operation customize(Operation operation, HandlerMethod method) {
        if (operation.getParameters() != null) {
            operation.getParameters().forEach(ParameterSchemas::say);
        }
        return operation;
    }

    private static void say(Parameter parameter) {
        @Nullable Schema<?> schema = parameter.getSchema();
        if (schema == null || schema.getPattern() != null || !isText(schema)) {
            return;
        }
        if (parameter.getIn().equals("path")) {
            parameter.setSchema(text(NAMED.contains(parameter.getName()) ? NAME : ID));
        } else if (parameter.getName().equals("cursor")) {
            parameter.setSchema(text(CURSOR));
        }
    }

    private static boolean isText(Schema<?> schema) {
        return "string".equals(schema.getType())
                || (schema.getTypes() != null && schema.getTypes().contains("string"));
    }

    /** A new one, for springdoc shares one schema between an operation's parameters. */
    private static Schema<?> text(String pattern) {
        Schema<?> text = new JsonSchema();
        text.addType("string");
        text.setPattern(pattern);
        return text;
    }
}
