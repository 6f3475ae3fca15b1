package dev.headgate.server.startup;

import dev.headgate.engine.Engine;
import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.HeadgateProperties;
import java.time.Clock;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class EngineConfiguration {

    /** Not a listener bean itself, because it forwards to all listener beans. */
    private final Listeners listeners = new Listeners();

    @Bean(destroyMethod = "close")
    Engine engine(HeadgateProperties properties, MemoryAccount memory, Supervisor supervisor) {
        return Engine.start(properties.node(), listeners, memory, supervisor);
    }

    /** Supervises every thread and timer of the service. */
    @Bean
    Supervisor supervisor(Clock clock) {
        return new Supervisor(clock, new FailureLog());
    }

    @Bean
    Boot boot(
            dev.headgate.server.databases.Databases databases,
            dev.headgate.server.domains.Domains domains,
            Engine engine,
            org.springframework.beans.factory.ObjectProvider<dev.headgate.engine.EngineListener> all) {
        return new Boot(databases, domains, engine, listeners, all);
    }
}
