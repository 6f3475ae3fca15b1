package dev.headgate.server.dashboard;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpHeaders;
import org.springframework.web.servlet.resource.EncodedResourceResolver;
import org.springframework.web.servlet.resource.ResourceResolverChain;

/**
 * Sends Brotli to whoever accepts it. Spring takes the first encoding that the browser names, and browsers name gzip first; it
 * also reads past {@code q=0}, which refuses an encoding.
 */
class SmallestEncoding extends EncodedResourceResolver {

    private static final Pattern REFUSED = Pattern.compile(".*;\\s*q=0(\\.0*)?\\s*");

    @Override
    protected @Nullable Resource resolveResourceInternal(
            @Nullable HttpServletRequest request,
            String path,
            List<? extends Resource> locations,
            ResourceResolverChain chain) {
        return super.resolveResourceInternal(
                request == null ? null : new SmallestFirst(request), path, locations, chain);
    }

    private final class SmallestFirst extends HttpServletRequestWrapper {

        SmallestFirst(HttpServletRequest request) {
            super(request);
        }

        @Override
        public @Nullable String getHeader(String name) {
            @Nullable String value = super.getHeader(name);
            if (value == null || !name.equalsIgnoreCase(HttpHeaders.ACCEPT_ENCODING)) {
                return value;
            }
            List<String> accepted = List.of(value.toLowerCase(Locale.ROOT).split(",")).stream()
                    .filter(coding -> !REFUSED.matcher(coding).matches())
                    .map(coding -> coding.replaceFirst(";.*", "").trim())
                    .toList();
            return getContentCodings().stream().filter(accepted::contains).collect(Collectors.joining(","));
        }
    }
}
