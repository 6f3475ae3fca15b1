package dev.headgate.server.access;

import dev.headgate.server.HeadgateProperties;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Decides which host names are accepted, and which pages may use the API. In a DNS rebinding attack, a foreign page's name resolves to
 * this machine and appears in {@code Host}. So only addresses, loopback names and configured names are accepted.
 */
@Component
final class Origins {

    private static final Pattern IP_V4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");
    private static final Pattern IP_V6 = Pattern.compile("\\[[0-9a-f:.]+]");

    private final Set<String> hosts;
    private final Set<String> origins;

    Origins(HeadgateProperties properties) {
        this.hosts = Stream.concat(
                        Stream.of("localhost", properties.address()), properties.access().allowedHosts().stream())
                .map(Origins::lower)
                .collect(Collectors.toUnmodifiableSet());
        this.origins = lower(properties.access().allowedOrigins());
    }

    /** @param host the Host header, with or without port */
    boolean isOurHost(@Nullable String host) {
        if (host == null || host.isBlank()) {
            return false;
        }
        String name = lower(host).replaceFirst(":\\d+$", "");
        return hosts.contains(name)
                || name.endsWith(".localhost")
                || IP_V4.matcher(name).matches()
                || IP_V6.matcher(name).matches();
    }

    /** @param origin the Origin header; may be absent, because only browsers send it */
    boolean isAllowed(@Nullable String origin, @Nullable String host) {
        if (origin == null) {
            return true;
        }
        String asked = lower(origin);
        return origins.contains(asked) || asked.equals("http://" + host) || asked.equals("https://" + host);
    }

    private static Set<String> lower(List<String> values) {
        return values.stream().map(Origins::lower).collect(Collectors.toUnmodifiableSet());
    }

    private static String lower(String value) {
        return value.strip().toLowerCase(Locale.ROOT);
    }
}
