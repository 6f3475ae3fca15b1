package dev.headgate.server.policies;

import dev.headgate.server.plugins.InstalledPlugin;
import dev.headgate.server.plugins.ParameterSchema;
import dev.headgate.server.plugins.PluginCatalog;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.Faults;
import dev.headgate.spi.InvalidParametersException;
import dev.headgate.spi.Parameters;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Reads one policy of a set: finds its plugin, checks its parameters, and asks it once for an empty pool. */
@Component
final class PolicyReader {

    private static final TypeReference<Map<String, Object>> OBJECT = new TypeReference<>() {};

    private final PluginCatalog plugins;
    private final JsonMapper json;

    PolicyReader(PluginCatalog plugins, JsonMapper json) {
        this.plugins = plugins;
        this.json = json;
    }

    /**
     * Reads a policy that can then be created.
     *
     * @param at its pointer in the set
     * @param faults receives the faults; then nothing is returned
     */
    Optional<Draft.Part> read(PolicySetRequest.PolicyUseRequest use, String at, Faults faults) {
        if (use.plugin() == null) {
            faults.add(Fault.at(at + "/plugin", "is missing", installed()));
            return Optional.empty();
        }
        List<InstalledPlugin> versions = plugins.versions(use.plugin());
        if (versions.isEmpty()) {
            faults.add(Fault.at(at + "/plugin", "'" + use.plugin() + "' is not installed", installed()));
            return Optional.empty();
        }
        Optional<InstalledPlugin> plugin = plugins.find(use.plugin(), use.version());
        if (plugin.isEmpty()) {
            faults.add(Fault.at(
                    at + "/version",
                    "'" + use.version() + "' of " + use.plugin() + " is not installed",
                    Fault.names(
                            versions.stream().map(each -> each.version().text()).toList())));
            return Optional.empty();
        }
        ObjectNode parameters = use.parameters() == null ? json.createObjectNode() : json.valueToTree(use.parameters());
        try {
            ParameterSchema schema = plugin.get().schema();
            schema.fillDefaults(parameters);
            List<Fault> found = schema.check(parameters);
            found.forEach(fault -> faults.add(fault.under(at + "/parameters")));
            if (!found.isEmpty()) {
                return Optional.empty();
            }
        } catch (RuntimeException e) {
            faults.add(Fault.at(at, "cannot be checked: the schema of " + use.plugin() + " is broken: " + said(e)));
            return Optional.empty();
        }
        return Optional.of(new Draft.Part(
                use.plugin(),
                plugin.get().version().text(),
                plugin.get().factory(),
                Parameters.of(withoutNulls(json.convertValue(parameters, OBJECT)))));
    }

    /** Whether a policy that was read can be read again: its plugin's version is installed, and is the same code. */
    @SuppressWarnings("ReferenceEquality") // this very factory
    boolean isInstalled(Draft.Part part) {
        return plugins.find(part.plugin(), part.version())
                .filter(plugin -> plugin.factory() == part.factory())
                .isPresent();
    }

    private String installed() {
        return Fault.names(
                plugins.list().stream().map(InstalledPlugin::id).distinct().toList());
    }

    /** The parameters that a policy runs with, including the defaults of its plugin's version. */
    Map<String, Object> effective(PolicySetRequest.PolicyUseRequest use) {
        ObjectNode parameters = use.parameters() == null ? json.createObjectNode() : json.valueToTree(use.parameters());
        plugins.find(use.plugin(), use.version())
                .ifPresent(plugin -> plugin.schema().fillDefaults(parameters));
        return json.convertValue(parameters, OBJECT);
    }

    /** The policy's answer for an empty pool. Blocks while the policy is created and asked. Faults as for {@link #read}. */
    Optional<Tried> tryOut(Draft.Part part, int index, Surroundings around, Faults faults) {
        String at = "/policies/" + index;
        try {
            Trial trial = Trial.of(part, around.scope().name(), around.database(), around.budget());
            return Optional.of(new Tried(index, part.plugin(), trial));
        } catch (InvalidParametersException e) {
            for (InvalidParametersException.Fault fault : e.faults()) {
                faults.add(Fault.at(at + "/parameters/" + fault.parameter(), fault.problem()));
            }
        } catch (Trial.FailedException e) {
            faults.add(Fault.at(at, part.plugin() + " " + e.getMessage()));
        }
        return Optional.empty();
    }

    private static Map<String, Object> withoutNulls(Map<String, @Nullable Object> values) {
        Map<String, Object> present = new LinkedHashMap<>();
        values.forEach((name, value) -> {
            if (value != null) {
                present.put(name, value);
            }
        });
        return present;
    }

    private static String said(Throwable e) {
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }
}
