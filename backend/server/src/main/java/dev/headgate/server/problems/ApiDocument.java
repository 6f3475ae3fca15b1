package dev.headgate.server.problems;

import dev.headgate.server.Version;
import io.swagger.v3.core.converter.AnnotatedType;
import io.swagger.v3.core.converter.ModelConverters;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.info.Info;
import io.swagger.v3.oas.models.media.Content;
import io.swagger.v3.oas.models.media.MediaType;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.responses.ApiResponse;
import io.swagger.v3.oas.models.security.SecurityRequirement;
import io.swagger.v3.oas.models.security.SecurityScheme;
import java.util.List;
import org.springdoc.core.customizers.GlobalOpenApiCustomizer;
import org.springframework.stereotype.Component;

/** Completes the OpenAPI document with what holds for every operation: a token is needed, and errors are problems. */
@Component
final class ApiDocument implements GlobalOpenApiCustomizer {

    private static final String TOKEN = "token";

    @Override
    public void customise(OpenAPI document) {
        document.info(new Info()
                .title("Headgate")
                .version(Version.current())
                .description("A control plane for database connection pools."));
        document.setServers(List.of());
        document.getComponents()
                .addSecuritySchemes(
                        TOKEN,
                        new SecurityScheme().type(SecurityScheme.Type.HTTP).scheme("bearer"));
        document.addSecurityItem(new SecurityRequirement().addList(TOKEN));
        ModelConverters.getInstance(true)
                .resolveAsResolvedSchema(new AnnotatedType(ProblemJson.class))
                .referencedSchemas
                .forEach(document.getComponents()::addSchemas);
        document.getPaths().values().stream()
                .flatMap(path -> path.readOperations().stream())
                .forEach(ApiDocument::mayBeAProblem);
    }

    private static void mayBeAProblem(Operation operation) {
        operation
                .getResponses()
                .keySet()
                .removeIf(status -> status.startsWith("4") || status.startsWith("5") || status.equals("default"));
        operation
                .getResponses()
                .addApiResponse(
                        "default",
                        new ApiResponse()
                                .description("Problem")
                                .content(new Content()
                                        .addMediaType(
                                                org.springframework.http.MediaType.APPLICATION_PROBLEM_JSON_VALUE,
                                                new MediaType()
                                                        .schema(new Schema<>().$ref("#/components/schemas/Problem")))));
    }
}
