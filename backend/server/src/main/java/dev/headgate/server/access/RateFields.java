package dev.headgate.server.access;

import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.headers.Header;
import io.swagger.v3.oas.models.media.StringSchema;
import io.swagger.v3.oas.models.responses.ApiResponse;
import io.swagger.v3.oas.models.responses.ApiResponses;
import org.springdoc.core.customizers.GlobalOpenApiCustomizer;
import org.springframework.stereotype.Component;

/**
 * Lists the fields of {@link RateFilter} in the OpenAPI document: every answer of every operation that it counts has them. A
 * {@code default} answer is of a proxy on the way.
 */
@Component
final class RateFields implements GlobalOpenApiCustomizer {

    private static final String REFERENCE = "#/components/headers/";

    @Override
    public void customise(OpenAPI document) {
        document.getComponents()
                .addHeaders(
                        RateFilter.POLICY,
                        field(
                                "how many requests the caller may make at once (q), and in how many seconds all of them are there again (w)",
                                "\"requests\";q=1000;w=2"))
                .addHeaders(
                        RateFilter.QUOTA,
                        field(
                                "how many requests are left (r), and in how many seconds all of them are there again (t)",
                                "\"requests\";r=999;t=1"));
        document.getPaths()
                .forEach((path, operations) -> operations.readOperationsMap().forEach((method, operation) -> {
                    if (RateFilter.counts(method.name(), path)) {
                        addTo(operation.getResponses());
                    }
                }));
    }

    private static void addTo(ApiResponses responses) {
        responses.forEach((status, response) -> {
            if (!status.equals(ApiResponses.DEFAULT)) {
                addTo(response);
            }
        });
    }

    private static void addTo(ApiResponse response) {
        response.addHeaderObject(RateFilter.POLICY, new Header().$ref(REFERENCE + RateFilter.POLICY))
                .addHeaderObject(RateFilter.QUOTA, new Header().$ref(REFERENCE + RateFilter.QUOTA));
    }

    private static Header field(String description, String example) {
        return new Header()
                .description(description + "; draft-ietf-httpapi-ratelimit-headers-10")
                .schema(new StringSchema().example(example));
    }
}
