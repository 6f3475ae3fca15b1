package dev.headgate.server.sql;

import dev.headgate.server.HeadgateProperties;
import java.util.List;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.stereotype.Component;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.cors.UrlBasedCorsConfigurationSource;
import org.springframework.web.filter.CorsFilter;

/** Pages of the configured origins may call the door of Neon's driver, and read what refuses them. */
@Component
@Order(-1) // after the security filters, before the login
final class NeonOrigins extends CorsFilter {

    private static final long SECONDS = 86_400;

    NeonOrigins(HeadgateProperties properties) {
        super(source(properties.access().allowedOrigins()));
    }

    private static CorsConfigurationSource source(List<String> origins) {
        CorsConfiguration allowed = new CorsConfiguration();
        allowed.setAllowedOrigins(origins);
        allowed.setAllowedMethods(List.of(HttpMethod.POST.name()));
        allowed.setAllowedHeaders(List.of(
                HttpHeaders.CONTENT_TYPE,
                HttpHeaders.AUTHORIZATION,
                ConnectionString.HEADER,
                NeonController.RAW_TEXT,
                NeonController.ARRAY_MODE,
                NeonController.ISOLATION,
                NeonController.READ_ONLY,
                NeonController.DEFERRABLE));
        allowed.setExposedHeaders(List.of(
                NeonController.ISOLATION,
                NeonController.READ_ONLY,
                NeonController.DEFERRABLE,
                HttpHeaders.RETRY_AFTER));
        allowed.setMaxAge(SECONDS);
        UrlBasedCorsConfigurationSource source = new UrlBasedCorsConfigurationSource();
        source.registerCorsConfiguration(NeonController.PATH, allowed);
        return source;
    }
}
