package dev.headgate.server.problems;

import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.PathItem;
import io.swagger.v3.oas.models.headers.Header;
import io.swagger.v3.oas.models.media.BooleanSchema;
import io.swagger.v3.oas.models.media.IntegerSchema;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.media.StringSchema;
import io.swagger.v3.oas.models.responses.ApiResponse;
import io.swagger.v3.oas.models.responses.ApiResponses;
import java.util.Map;
import org.springdoc.core.customizers.GlobalOpenApiCustomizer;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;

/**
 * Describes each field that an operation's answers may have once in the OpenAPI document: an answer refers to it by its name. The
 * operations list the names alone. Whatever an operation with an Idempotency-Key answers tells whether it is replayed.
 */
@Component
final class AnswerFields implements GlobalOpenApiCustomizer {

    private static final String KEY = "Idempotency-Key";
    private static final String REPLAYED = "Idempotency-Replayed";

    private static final Map<String, Header> ALL = Map.of(
            HttpHeaders.LOCATION,
            field("the address of what was made or begun", new StringSchema().format("uri-reference")),
            HttpHeaders.ETAG,
            field("the version, for If-Match", new StringSchema().pattern(EntityTag.PATTERN)),
            HttpHeaders.RETRY_AFTER,
            field("seconds until it may be asked again", new IntegerSchema()),
            HttpHeaders.WWW_AUTHENTICATE,
            field("how to authenticate", new StringSchema().example("Bearer")),
            HttpHeaders.SET_COOKIE,
            field("the session, or its end", new StringSchema()),
            "Preference-Applied",
            field("the preference that was followed", new StringSchema().example("respond-async")),
            REPLAYED,
            field(
                    "sent if the request had an Idempotency-Key: whether this answer is of an earlier request with it",
                    new BooleanSchema()),
            "Headgate-Changes",
            field("how many changes the answer lists", new IntegerSchema()),
            "Headgate-Warning",
            field("what is accepted and should be looked at", new StringSchema()));

    private static Header field(String description, Schema<?> schema) {
        return new Header().description(description).schema(schema);
    }

    @Override
    public void customise(OpenAPI document) {
        ALL.forEach(document.getComponents()::addHeaders);
        for (PathItem path : document.getPaths().values()) {
            for (Operation operation : path.readOperations()) {
                if (takesKey(operation)) {
                    operation.getResponses().forEach(AnswerFields::mayBeReplayed);
                }
                operation.getResponses().values().forEach(AnswerFields::refer);
            }
        }
    }

    private static boolean takesKey(Operation operation) {
        return operation.getParameters() != null
                && operation.getParameters().stream().anyMatch(parameter -> KEY.equals(parameter.getName()));
    }

    private static void mayBeReplayed(String status, ApiResponse response) {
        if (!status.equals(ApiResponses.DEFAULT)) {
            response.addHeaderObject(REPLAYED, new Header());
        }
    }

    private static void refer(ApiResponse response) {
        if (response.getHeaders() != null) {
            response.getHeaders()
                    .replaceAll((name, field) ->
                            ALL.containsKey(name) ? new Header().$ref("#/components/headers/" + name) : field);
        }
    }
}
