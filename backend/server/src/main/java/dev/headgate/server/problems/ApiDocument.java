package dev.headgate.server.problems;

import dev.headgate.server.Version;
import io.swagger.v3.core.converter.AnnotatedType;
import io.swagger.v3.core.converter.ModelConverters;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.info.Info;
import io.swagger.v3.oas.models.security.SecurityRequirement;
import io.swagger.v3.oas.models.security.SecurityScheme;
import java.util.List;
import org.springdoc.core.customizers.GlobalOpenApiCustomizer;
import org.springframework.stereotype.Component;

/** Completes the OpenAPI document with what holds for every operation: a token or a session is needed, and errors are problems. */
@Component
final class ApiDocument implements GlobalOpenApiCustomizer {

    private static final String TOKEN = "token";
    private static final String SESSION = "session";

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
        document.getComponents()
                .addSecuritySchemes(
                        SESSION,
                        new SecurityScheme()
                                .type(SecurityScheme.Type.APIKEY)
                                .in(SecurityScheme.In.COOKIE)
                                .name("headgate_session"));
        document.setSecurity(
                List.of(new SecurityRequirement().addList(TOKEN), new SecurityRequirement().addList(SESSION)));
        ModelConverters.getInstance(true)
                .resolveAsResolvedSchema(new AnnotatedType(ProblemJson.class))
                .referencedSchemas
                .forEach(document.getComponents()::addSchemas);
    }
}
