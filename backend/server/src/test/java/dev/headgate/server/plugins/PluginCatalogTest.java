package dev.headgate.server.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.headgate.server.Service;
import dev.headgate.server.plugins.PluginCatalog.Refused;
import dev.headgate.spi.Parameters;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PluginCatalogTest {

    private static final long ROOM = 64 << 20;

    @TempDir
    private Path folder;

    @Test
    void loadsAPluginWithItsVersionHashAndSchema() throws Exception {
        Path jar = new PluginJars(folder).plugin("calm", "1.2.3").write("calm.jar");

        try (PluginCatalog catalog = catalog()) {
            assertThat(catalog.refused()).isEmpty();
            assertThat(catalog.list()).singleElement().satisfies(plugin -> {
                assertThat(plugin.id()).isEqualTo("calm");
                assertThat(plugin.version().text()).isEqualTo("1.2.3");
                assertThat(plugin.description()).isEqualTo("Made for a test.");
                assertThat(plugin.source()).isEqualTo("calm.jar");
                assertThat(plugin.sha256()).isEqualTo(sha256(jar));
                assertThat(plugin.schema().text()).contains("\"type\"");
                assertThat(plugin.factory().create(Parameters.of(Map.of()))).isNotNull();
            });
            assertThat(catalog.find("calm")).isPresent();
            assertThat(catalog.find("missing")).isEmpty();
        }
    }

    @Test
    void showsAPluginTheSpiAndTheJdkAndNothingElse() throws Exception {
        new PluginJars(folder).plugin("curious", "1").describing("""
                        String seen = "";
                        for (String name : new String[] {
                            "dev.headgate.spi.Limits", "java.sql.Connection", "dev.headgate.engine.Engine",
                            "dev.headgate.server.Headgate", "com.zaxxer.hikari.HikariDataSource",
                            "org.springframework.context.ApplicationContext", "org.slf4j.Logger",
                            "tools.jackson.databind.JsonNode"}) {
                            try {
                                Class.forName(name);
                                seen += name + " ";
                            } catch (ClassNotFoundException e) {
                                // not for it to see
                            }
                        }
                        boolean resources = getClass().getResource("/db/migration") != null
                                || getClass().getResource("/application.yaml") != null
                                || getClass().getResource("/org/slf4j/Logger.class") != null;
                        return seen + resources;
                        """).write("curious.jar");

        try (PluginCatalog catalog = catalog()) {
            assertThat(catalog.list())
                    .singleElement()
                    .extracting(InstalledPlugin::description)
                    .isEqualTo("dev.headgate.spi.Limits java.sql.Connection false");
        }
    }

    /** Each keeps its unpacked jar: what was uploaded one by one would not fit into the heap, at no start either. */
    @Test
    void uploadsHaveRoomTogetherAndThoseThatShipAreLoadedAnyhow() throws Exception {
        Path uploaded = Files.createDirectories(folder.resolve("uploaded"));
        new PluginJars(folder).plugin("shipped", "1").write("shipped.jar");
        Path jar = new PluginJars(uploaded).plugin("one", "1").write("a-one.jar");
        new PluginJars(uploaded).plugin("two", "1").write("b-two.jar");
        long bytes = PluginJar.read(jar).load(false).bytes();
        assertThat(bytes).isBetween(128L << 10, 256L << 10);

        try (PluginCatalog catalog = new PluginCatalog(folder, uploaded, Set.of(), bytes)) {
            assertThat(catalog.list()).extracting(InstalledPlugin::id).containsExactly("one", "shipped");
            assertThat(reason(catalog, "b-two.jar"))
                    .matches("needs \\d+ bytes of memory\\. All uploaded plugins may have " + bytes
                            + " \\(headgate\\.plugin-uploads\\.memory\\), and the others have " + bytes
                            + "; remove what nothing uses, the largest are: one 1 \\(" + bytes + "\\)");
        }
    }

    @Test
    void givesEachPluginItsOwnClasses() throws Exception {
        new PluginJars(folder).plugin("one", "1").write("one.jar");
        new PluginJars(folder).plugin("two", "1").write("two.jar");

        try (PluginCatalog catalog = catalog()) {
            Class<?> one = catalog.find("one").orElseThrow().factory().getClass();
            Class<?> two = catalog.find("two").orElseThrow().factory().getClass();
            assertThat(one.getName()).isEqualTo(two.getName());
            assertThat(one).isNotEqualTo(two);
        }
    }

    @Test
    void refusesWhatIsNoPluginAndLeavesTheOthersAlone() throws Exception {
        Files.writeString(folder.resolve("a-text.jar"), "not a jar at all");
        Files.createDirectory(folder.resolve("b-folder.jar"));
        new PluginJars(folder).plugin("library", "1").withoutService().write("c-library.jar");
        new PluginJars(folder)
                .plugin("bare", "1")
                .withoutManifestEntry("Plugin-Version")
                .write("d-bare.jar");
        new PluginJars(folder).plugin("good", "1").write("e-good.jar");
        new PluginJars(folder)
                .plugin("good", "1")
                .describing("return \"Other.\";")
                .write("f-again.jar");
        new PluginJars(folder)
                .plugin("newer", "1")
                .withManifestEntry("Headgate-Spi-Version", "7")
                .write("g-newer.jar");
        new PluginJars(folder)
                .plugin("alias", "1")
                .withManifestEntry("Plugin-Id", "other")
                .write("h-alias.jar");
        Files.writeString(folder.resolve("notes.txt"), "not looked at");

        try (PluginCatalog catalog = catalog()) {
            assertThat(catalog.list()).extracting(InstalledPlugin::source).containsExactly("e-good.jar");
            assertThat(catalog.refused()).hasSize(7);
            assertThat(reason(catalog, "a-text.jar")).isEqualTo("is not a jar");
            assertThat(reason(catalog, "b-folder.jar")).startsWith("cannot be read");
            assertThat(reason(catalog, "c-library.jar"))
                    .isEqualTo("is not a policy plugin: it has no META-INF/services/dev.headgate.spi.PolicyFactory");
            assertThat(reason(catalog, "d-bare.jar"))
                    .isEqualTo("is not a policy plugin: its manifest has no Plugin-Version");
            assertThat(reason(catalog, "f-again.jar"))
                    .startsWith(
                            "has version 1 of the plugin 'good', which e-good.jar already has with other" + " content");
            assertThat(reason(catalog, "g-newer.jar"))
                    .isEqualTo("needs version 7 of the policy SPI; this service has version 1");
            assertThat(reason(catalog, "h-alias.jar")).startsWith("has the id 'other' in its manifest and 'alias'");
        }
    }

    @Test
    void refusesASchemaThatIsNone() throws Exception {
        new PluginJars(folder)
                .plugin("json", "1")
                .withSchema("{\"type\": \"object\"")
                .write("a.jar");
        new PluginJars(folder)
                .plugin("list", "1")
                .withSchema("{\"type\": \"array\"}")
                .write("b.jar");
        new PluginJars(folder)
                .plugin("odd", "1")
                .withSchema("{\"type\": \"object\", \"properties\": {\"max\": {\"minimum\": \"one\"}}}")
                .write("c.jar");
        new PluginJars(folder)
                .plugin("lost", "1")
                .withSchema("{\"type\": \"object\", \"properties\": {\"max\": {\"$ref\": \"#/$defs/none\"}}}")
                .write("d.jar");
        new PluginJars(folder)
                .plugin("abroad", "1")
                .withSchema("{\"type\": \"object\", \"properties\": {\"max\": {\"$ref\": \"http://127.0.0.1/max\"}}}")
                .write("e.jar");
        new PluginJars(folder)
                .plugin("open", "1")
                .withSchema("{\"type\": \"object\", \"properties\": {\"max\": {\"pattern\": \"(\"}}}")
                .write("f.jar");
        new PluginJars(folder)
                .plugin("endless", "1")
                .withSchema("{\"type\": \"object\", \"$ref\": \"#\"}")
                .write("g.jar");

        try (PluginCatalog catalog = catalog()) {
            assertThat(catalog.list()).isEmpty();
            for (String unusable : List.of("d.jar", "e.jar", "f.jar", "g.jar")) {
                assertThat(reason(catalog, unusable))
                        .as(unusable)
                        .startsWith("has a parameter schema that cannot be used: ");
            }
            assertThat(reason(catalog, "d.jar")).endsWith("Reference /$defs/none cannot be resolved");
            assertThat(reason(catalog, "g.jar")).endsWith("it refers to itself without end");
            assertThat(reason(catalog, "a.jar")).startsWith("has a parameter schema that is not JSON");
            assertThat(reason(catalog, "b.jar")).isEqualTo("has a parameter schema whose root is not of type object");
            assertThat(reason(catalog, "c.jar"))
                    .startsWith("has a parameter schema that is not a JSON Schema (2020-12): /properties/max/minimum");
        }
    }

    /** A small class may make a large text: its jar's bytes do not bound it. */
    @Test
    void refusesASchemaThatIsLargerThanAnyForm() throws Exception {
        String enough = "{\"type\": \"object\"}";
        for (int length : List.of(50_000, 50_001)) {
            new PluginJars(folder)
                    .plugin("long-" + length, "1")
                    .withSchema(enough + " ".repeat(length - enough.length()))
                    .write(length + ".jar");
        }
        try (PluginCatalog catalog = catalog()) {
            assertThat(catalog.list()).extracting(InstalledPlugin::id).containsExactly("long-50000");
            assertThat(reason(catalog, "50001.jar"))
                    .isEqualTo("has a parameter schema of 50001 characters; allowed are at most 50000");
        }
    }

    /** Every list of plugins has it. */
    @Test
    void refusesADescriptionThatIsMissingOrLong() throws Exception {
        for (int length : List.of(0, 1_000, 1_001)) {
            new PluginJars(folder)
                    .plugin("told-" + length, "1")
                    .describing("return \"d\".repeat(" + length + ");")
                    .write(length + ".jar");
        }
        try (PluginCatalog catalog = catalog()) {
            assertThat(catalog.list()).extracting(InstalledPlugin::id).containsExactly("told-1000");
            assertThat(reason(catalog, "1001.jar"))
                    .isEqualTo("has a description of 1001 characters; allowed are at most 1000");
            assertThat(reason(catalog, "0.jar")).isEqualTo("has no description");
        }
    }

    @Test
    void refusesAFactoryThatFailsOrReachesForClassesThatAreNotThere() throws Exception {
        new PluginJars(folder)
                .plugin("rude", "1")
                .describing("throw new IllegalStateException(\"no\");")
                .write("a.jar");
        new PluginJars(folder)
                .plugin("deep", "1")
                .describing("return description();")
                .write("b.jar");
        new PluginJars(folder)
                .plugin("reaching", "1")
                .describing("return org.slf4j.LoggerFactory.getLogger(\"x\").getName();")
                .write("c.jar");

        try (PluginCatalog catalog = catalog()) {
            assertThat(catalog.list()).isEmpty();
            assertThat(reason(catalog, "a.jar"))
                    .isEqualTo("failed to give its id, schema and description: java.lang.IllegalStateException: no");
            assertThat(reason(catalog, "b.jar")).contains("StackOverflowError");
            assertThat(reason(catalog, "c.jar"))
                    .contains("NoClassDefFoundError")
                    .contains("org/slf4j/LoggerFactory");
        }
    }

    @Test
    void needsTheJarNoMoreOnceItIsLoaded() throws Exception {
        Path jar = new PluginJars(folder).plugin("calm", "1").write("calm.jar");
        try (PluginCatalog catalog = catalog()) {
            Files.delete(jar);
            assertThat(catalog.find("calm").orElseThrow().factory().create(Parameters.of(Map.of())))
                    .as("a class that is loaded only now")
                    .isNotNull();
        }
    }

    @Test
    void lookedAtNoMoreAPluginsClassLoaderIsCollected() throws Exception {
        new PluginJars(folder).plugin("calm", "1").write("calm.jar");
        WeakReference<ClassLoader> loader = loadAndClose();
        await().atMost(Service.PATIENCE).until(() -> {
            System.gc();
            return loader.get() == null;
        });
    }

    private WeakReference<ClassLoader> loadAndClose() {
        try (PluginCatalog catalog = catalog()) {
            InstalledPlugin plugin = catalog.find("calm").orElseThrow();
            assertThat(plugin.factory().create(Parameters.of(Map.of()))).isNotNull();
            return new WeakReference<>(plugin.factory().getClass().getClassLoader());
        }
    }

    @Test
    void hasNoPluginsWhereThereIsNoFolder() {
        try (PluginCatalog catalog =
                new PluginCatalog(folder.resolve("nowhere"), folder.resolve("uploaded"), Set.of(), ROOM)) {
            assertThat(catalog.list()).isEmpty();
            assertThat(catalog.refused()).isEmpty();
        }
    }

    @Test
    void severalVersionsStandSideBySideAndTheNewestIsTheDefault() throws Exception {
        for (String version : new String[] {"1.10.0", "1.9.0", "2.0.0-rc1"}) {
            new PluginJars(folder).plugin("calm", version).write(version + ".jar");
        }
        try (PluginCatalog catalog = catalog()) {
            assertThat(catalog.list())
                    .extracting(plugin -> plugin.version().text())
                    .containsExactly("1.9.0", "1.10.0", "2.0.0-rc1");
            assertThat(catalog.find("calm").orElseThrow().version().text()).isEqualTo("2.0.0-rc1");
            assertThat(catalog.find("calm", "1.9.0")).isPresent();
            assertThat(catalog.find("calm", "1.9")).isEmpty();
        }
    }

    @Test
    void anUploadIsKeptBesideTheOthersAndIsThereAgainAfterARestart() throws Exception {
        byte[] jar = jar("calm", "2");
        try (PluginCatalog catalog = catalog()) {
            PluginCatalog.Installed first = install(catalog, jar);
            assertThat(first.fresh()).isTrue();
            assertThat(first.plugin().builtIn()).isFalse();
            assertThat(install(catalog, jar).fresh()).as("the same bytes again").isFalse();
        }
        new PluginJars(folder).plugin("calm", "1").write("calm.jar");
        try (PluginCatalog catalog = catalog()) {
            assertThat(catalog.list()).extracting(InstalledPlugin::builtIn).containsExactly(true, false);
            assertThat(catalog.find("calm").orElseThrow().version().text())
                    .as("an upload never takes the place of what ships")
                    .isEqualTo("1");
            assertThat(catalog.findStored("calm", null).orElseThrow().version().text())
                    .as("a set of before there were versions")
                    .isEqualTo("1");
            InstalledPlugin uploaded = catalog.findStored("calm", "2").orElseThrow();
            assertThatThrownBy(() -> install(catalog, jar("calm", "3")))
                    .isInstanceOfSatisfying(
                            PluginRefused.class,
                            refused -> assertThat(refused.reason())
                                    .startsWith("has the Plugin-Id 'calm', which is reserved"));
            catalog.remove(uploaded).run();
            assertThat(catalog.find("calm", "2"))
                    .as("a removal that is taken back")
                    .isPresent();
            catalog.remove(catalog.find("calm", "2").orElseThrow());
        }
        try (PluginCatalog catalog = catalog()) {
            assertThat(catalog.list()).hasSize(1);
        }
    }

    @Test
    void noOtherUploadRunsInPlaceOfOneThatWasNotLoaded() throws Exception {
        new PluginJars(folder).plugin("shipped", "2").write("shipped.jar");
        try (PluginCatalog catalog = catalog()) {
            install(catalog, jar("calm", "2"));
            assertThat(catalog.findStored("calm", "1")).isEmpty();
            assertThat(catalog.findStored("calm", null)).isPresent();
            assertThat(catalog.findStored("shipped", "1")
                            .orElseThrow()
                            .version()
                            .text())
                    .as("a newer release of the service has another version")
                    .isEqualTo("2");
        }
    }

    @Test
    void aRemovalCanBeTakenBack() throws Exception {
        try (PluginCatalog catalog = catalog()) {
            InstalledPlugin plugin = install(catalog, jar("calm", "2")).plugin();
            catalog.remove(plugin).run();
            assertThat(catalog.find("calm", "2")).isPresent();
        }
        try (PluginCatalog catalog = catalog()) {
            assertThat(catalog.find("calm", "2")).isPresent();
        }
    }

    @Test
    void anUploadThatIsNotOnTheListIsNotLoadedEvenIfItsFileIsThere() throws Exception {
        byte[] allowed = jar("calm", "1");
        byte[] other = jar("calm", "2");
        try (PluginCatalog catalog = catalog()) {
            install(catalog, allowed);
            install(catalog, other);
        }
        String hash =
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(allowed));
        try (PluginCatalog catalog = new PluginCatalog(folder, folder.resolve("uploaded"), Set.of(hash), ROOM)) {
            assertThat(catalog.list())
                    .extracting(plugin -> plugin.version().text())
                    .containsExactly("1");
            assertThat(reason(catalog, "calm_2.jar")).contains("not in headgate.plugin-uploads.allowed-sha256");
        }
    }

    @Test
    void whatAnUploadLeftUnfinishedIsCleanedUp() throws Exception {
        Files.createDirectories(folder.resolve("uploaded"));
        Path unfinished = Files.writeString(folder.resolve("uploaded/calm_1.jar.part"), "half");
        try (PluginCatalog catalog = catalog()) {
            assertThat(catalog.refused()).isEmpty();
            assertThat(unfinished).doesNotExist();
        }
    }

    private PluginCatalog catalog() {
        return new PluginCatalog(folder, folder.resolve("uploaded"), Set.of(), ROOM);
    }

    private byte[] jar(String id, String version) throws IOException {
        return new PluginJars(Files.createDirectories(folder.resolve("made")))
                .plugin(id, version)
                .bytes();
    }

    private static PluginCatalog.Installed install(PluginCatalog catalog, byte[] jar)
            throws PluginRefused, IOException {
        Path file = Files.write(catalog.newUpload(), jar);
        return catalog.install(PluginJar.read("x.jar", file, bytes -> {}).load(false), file);
    }

    private static String reason(PluginCatalog catalog, String source) {
        return catalog.refused().stream()
                .filter(refused -> refused.source().equals(source))
                .map(Refused::reason)
                .findFirst()
                .orElse("(not refused)");
    }

    private static String sha256(Path file) throws IOException, java.security.NoSuchAlgorithmException {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
    }
}
