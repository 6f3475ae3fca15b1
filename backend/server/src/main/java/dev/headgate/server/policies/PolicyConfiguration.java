package dev.headgate.server.policies;

import dev.headgate.server.HeadgateProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class PolicyConfiguration {

    @Bean(destroyMethod = "close")
    PluginCatalog pluginCatalog(HeadgateProperties properties) {
        return new PluginCatalog(properties.plugins().toAbsolutePath().normalize());
    }
}
