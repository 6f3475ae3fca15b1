package dev.headgate.server.live;

import dev.headgate.engine.Engine;
import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.Version;
import dev.headgate.server.access.Access;
import dev.headgate.server.limits.Handshakes;
import dev.headgate.server.limits.PromptlyClosed;
import io.github.bucket4j.Bucket;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.HexFormat;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.socket.config.annotation.EnableWebSocket;
import org.springframework.web.socket.config.annotation.WebSocketConfigurer;
import tools.jackson.databind.json.JsonMapper;

@Configuration(proxyBeanMethods = false)
@EnableWebSocket
class StreamConfiguration {

    static final String PATH = "/api/v1/stream";

    private static final Duration BOOKMARK_EVERY = Duration.ofSeconds(5);
    private static final Duration SEND_TIMEOUT = Duration.ofSeconds(20);
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** What all clients of many domains together may be sent in a second, in characters: a fifth of a core makes and deflates it. */
    private static final long WIDE_PER_SECOND = 16_000_000;

    @Bean
    Fleet fleet(Engine engine) {
        return engine::databases;
    }

    @Bean
    RecentEvents recentEvents() {
        return new RecentEvents();
    }

    @Bean
    StreamHandler streamHandler(
            HeadgateProperties properties,
            Clock clock,
            JsonMapper mapper,
            Snapshots snapshots,
            StreamCounts counts,
            Clients clients,
            Access access,
            Supervisor supervisor,
            MemoryAccount account) {
        Client.Station station = new Client.Station(
                properties.node(),
                epoch(),
                Version.current(),
                BOOKMARK_EVERY,
                clock,
                mapper,
                snapshots,
                counts,
                Bucket.builder()
                        .addLimit(limit -> limit.capacity(WIDE_PER_SECOND).refillGreedy(WIDE_PER_SECOND, SECOND))
                        .withNanosecondPrecision()
                        .build()
                        .asBlocking());
        return new StreamHandler(station, clients, access, supervisor, account, SEND_TIMEOUT);
    }

    /** Allows all origins here, because the filter of {@code access} checks them before any handshake. */
    @Bean
    WebSocketConfigurer stream(StreamHandler handler, Handshakes handshakes) {
        return registry -> registry.addHandler(new PromptlyClosed(handler), PATH)
                .setHandshakeHandler(handshakes.taking())
                .addInterceptors(handshakes.declaring())
                .setAllowedOriginPatterns("*");
    }

    private static String epoch() {
        byte[] bytes = new byte[4];
        new SecureRandom().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
