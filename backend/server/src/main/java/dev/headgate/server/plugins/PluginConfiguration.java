package dev.headgate.server.plugins;

import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.store.CannotStart;
import dev.headgate.server.store.DataFolder;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.unit.DataSize;

@Configuration(proxyBeanMethods = false)
class PluginConfiguration {

    private static final int HEAP_PART = 8;

    @Bean(destroyMethod = "close")
    PluginCatalog pluginCatalog(HeadgateProperties properties, DataFolder data) {
        @Nullable DataSize memory = properties.pluginUploads().memory();
        return new PluginCatalog(
                properties.plugins().toAbsolutePath().normalize(),
                data.path().resolve("plugins").resolve("uploaded"),
                hashes(properties.pluginUploads().allowedSha256()),
                memory == null ? Runtime.getRuntime().maxMemory() / HEAP_PART : memory.toBytes());
    }

    private static Set<String> hashes(List<String> given) {
        Set<String> hashes = given.stream()
                .map(hash -> hash.strip().toLowerCase(Locale.ROOT))
                .collect(Collectors.toSet());
        for (String hash : hashes) {
            if (!hash.matches("[0-9a-f]{64}")) {
                throw new CannotStart(
                        "headgate.plugin-uploads.allowed-sha256 cannot hold '" + hash
                                + "'; allowed are SHA-256 hashes of 64 hexadecimal digits.",
                        CannotStart.EXIT_FAILED);
            }
        }
        return hashes;
    }
}
