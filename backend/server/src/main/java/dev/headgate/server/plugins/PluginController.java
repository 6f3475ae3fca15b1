package dev.headgate.server.plugins;

import dev.headgate.server.api.Cursors;
import dev.headgate.server.api.Page;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.server.problems.Refuses;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.io.InputStream;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hibernate.validator.constraints.Range;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

@RestController
@RequestMapping("/api/v1/policy-plugins")
@Tag(name = "policies")
class PluginController {

    private static final TypeReference<Map<String, Object>> OBJECT = new TypeReference<>() {};
    private static final int LONGEST_NAME = 120;
    private static final String FILE_NAMES = "[\\p{L}\\p{N} ._+()@-]{1," + LONGEST_NAME + "}";

    private static final Cursors<Key> BY_VERSION = new Cursors<>("policy-plugins", Key::of);
    private static final Comparator<Key> KEY_ORDER =
            Comparator.comparing(Key::id).thenComparing(Key::version);

    private final PluginCatalog catalog;
    private final Plugins plugins;
    private final PluginUsers users;
    private final JsonMapper json;

    PluginController(PluginCatalog catalog, Plugins plugins, PluginUsers users, JsonMapper json) {
        this.catalog = catalog;
        this.plugins = plugins;
        this.users = users;
        this.json = json;
    }

    /**
     * One version of an installed plugin.
     *
     * @param source the name of its jar
     * @param sha256 of the jar's bytes
     * @param builtIn whether it ships with the service; then it cannot be removed
     * @param newest whether it is the version for a set that names none and has none in force
     * @param usedBy the domains whose set uses it; a database is written "database/main"
     */
    @Schema(name = "PolicyPlugin")
    record PolicyPlugin(
            String id,
            String version,
            String description,
            String source,
            String sha256,
            boolean builtIn,
            boolean newest,
            Map<String, Object> parameterSchema,
            List<String> usedBy) {}

    /**
     * A page of plugins, by id, then from the oldest version to the newest.
     *
     * @param nextCursor null on the last page
     * @param refused the jars that could not be loaded at the start
     */
    @Schema(name = "PolicyPluginsList")
    record PolicyPlugins(List<PolicyPlugin> items, @Nullable String nextCursor, List<RefusedPlugin> refused) {}

    /** @param reason what was wrong and what is allowed, after the jar's name */
    @Schema(name = "RefusedPlugin")
    record RefusedPlugin(String source, String reason) {}

    @GetMapping
    PolicyPlugins listPolicyPlugins(
            @RequestParam(defaultValue = Page.LIMIT) @Range(min = 1, max = Page.MOST) int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        Page<InstalledPlugin> found =
                BY_VERSION.paging(limit, cursor).pick(catalog.list(), PluginController::key, KEY_ORDER);
        Map<String, List<String>> using =
                users.byLabel(found.items().stream().map(InstalledPlugin::id).toList());
        Page<PolicyPlugin> page = found.map(plugin -> shown(plugin, using));
        return new PolicyPlugins(
                page.items(),
                page.nextCursor(),
                catalog.refused().stream()
                        .map(refused -> new RefusedPlugin(refused.source(), refused.reason()))
                        .toList());
    }

    /** A plugin's label, "fixed 1.2.3", names it and its version. */
    private record Key(String id, PluginVersion version) {

        static Key of(String label) {
            int space = label.indexOf(' ');
            String version = label.substring(space + 1);
            if (space < 0 || !PluginVersion.isAllowed(version)) {
                throw new IllegalArgumentException("no plugin's label");
            }
            return new Key(label.substring(0, space), new PluginVersion(version));
        }

        @Override
        public String toString() {
            return id + " " + version;
        }
    }

    private static Key key(InstalledPlugin plugin) {
        return new Key(plugin.id(), plugin.version());
    }

    @PostMapping(consumes = {"application/java-archive", "application/octet-stream"})
    @io.swagger.v3.oas.annotations.parameters.RequestBody(
            required = true,
            content = {
                @Content(mediaType = "application/java-archive", schema = @Schema(type = "string", format = "binary")),
                @Content(mediaType = "application/octet-stream", schema = @Schema(type = "string", format = "binary"))
            })
    @ApiResponse(responseCode = "201", description = "Installed", useReturnTypeSchema = true)
    @ApiResponse(responseCode = "200", description = "It was installed already", useReturnTypeSchema = true)
    @Refuses({ProblemType.FORBIDDEN, ProblemType.CONFLICT, ProblemType.PLUGIN_REFUSED})
    ResponseEntity<PolicyPlugin> uploadPolicyPlugin(
            @Parameter(schema = @Schema(type = "string", pattern = "^" + FILE_NAMES + "$"))
                    @RequestParam(required = false)
                    @Nullable
                    String fileName,
            InputStream jar) {
        if (fileName != null && !fileName.matches(FILE_NAMES)) {
            throw ProblemException.of(
                    ProblemType.MALFORMED_REQUEST,
                    "'fileName' must be a file name without a path, of at most " + LONGEST_NAME
                            + " letters, digits, spaces and ._+()@-.");
        }
        PluginCatalog.Installed installed = plugins.upload(fileName, jar);
        return ResponseEntity.status(installed.fresh() ? HttpStatus.CREATED : HttpStatus.OK)
                .body(shown(
                        installed.plugin(),
                        users.byLabel(List.of(installed.plugin().id()))));
    }

    @DeleteMapping("/{id}/{version}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    @Refuses(ProblemType.CONFLICT)
    void removePolicyPlugin(@PathVariable String id, @PathVariable String version) {
        plugins.remove(id, version);
    }

    private PolicyPlugin shown(InstalledPlugin plugin, Map<String, List<String>> using) {
        Optional<InstalledPlugin> newest = catalog.find(plugin.id());
        return new PolicyPlugin(
                plugin.id(),
                plugin.version().text(),
                plugin.description(),
                plugin.source(),
                plugin.sha256(),
                plugin.builtIn(),
                newest.isPresent() && newest.get().equals(plugin),
                json.readValue(plugin.schema().text(), OBJECT),
                using.getOrDefault(plugin.label(), List.of()));
    }
}
