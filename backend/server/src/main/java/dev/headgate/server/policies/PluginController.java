package dev.headgate.server.policies;

import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import java.util.Map;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

@RestController
@RequestMapping("/api/v1/policy-plugins")
@Tag(name = "policies")
class PluginController {

    private static final TypeReference<Map<String, Object>> OBJECT = new TypeReference<>() {};

    private final PluginCatalog plugins;
    private final Policies policies;
    private final JsonMapper json;

    PluginController(PluginCatalog plugins, Policies policies, JsonMapper json) {
        this.plugins = plugins;
        this.policies = policies;
        this.json = json;
    }

    /**
     * An installed plugin.
     *
     * @param source the jar it came in
     * @param usedBy the domains whose set uses it; a database is written "database/main"
     */
    @Schema(name = "PolicyPlugin")
    record PolicyPlugin(
            String id,
            String version,
            String description,
            String source,
            String sha256,
            Map<String, Object> parameterSchema,
            List<String> usedBy) {}

    @Schema(name = "PolicyPluginsList")
    record PolicyPlugins(List<PolicyPlugin> items) {}

    @GetMapping
    PolicyPlugins listPolicyPlugins() {
        Map<String, List<String>> users = policies.users();
        return new PolicyPlugins(plugins.list().stream()
                .map(plugin -> new PolicyPlugin(
                        plugin.id(),
                        plugin.version(),
                        plugin.description(),
                        plugin.source(),
                        plugin.sha256(),
                        json.readValue(plugin.parameterSchema(), OBJECT),
                        users.getOrDefault(plugin.id(), List.of())))
                .toList());
    }
}
