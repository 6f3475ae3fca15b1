package dev.headgate.server.feed;

import java.time.Clock;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class FeedConfiguration {

    /** The wall clock of everything that is not the engine. */
    @Bean
    Clock clock() {
        return Clock.systemUTC();
    }
}
