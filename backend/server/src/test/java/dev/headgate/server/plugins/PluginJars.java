package dev.headgate.server.plugins;

import dev.headgate.spi.PolicyFactory;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.slf4j.Logger;

/** Compiles a policy plugin and packs it into a jar, right or wrong in the way a test wants it. */
public final class PluginJars {

    private final Path folder;
    private final Manifest manifest = new Manifest();
    private String id = "";
    private String describing = "return \"Made for a test.\";";
    private String schema = "{\"type\": \"object\", \"additionalProperties\": false}";
    private String answering = "return Limits.unbounded();";
    private String creating = "return new Sample();";
    private boolean service = true;

    public PluginJars(Path folder) {
        this.folder = folder;
    }

    public PluginJars plugin(String pluginId, String version) {
        id = pluginId;
        Attributes attributes = manifest.getMainAttributes();
        attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.putValue("Plugin-Id", pluginId);
        attributes.putValue("Plugin-Version", version);
        attributes.putValue("Headgate-Spi-Version", "1");
        return this;
    }

    /** The body of the factory's {@code description()}. */
    public PluginJars describing(String body) {
        describing = body;
        return this;
    }

    /** The body of its policy's {@code limits(PoolView pool)}. */
    public PluginJars answering(String body) {
        answering = body;
        return this;
    }

    /** The body of the factory's {@code create(Parameters parameters)}. */
    public PluginJars creating(String body) {
        creating = body;
        return this;
    }

    PluginJars withSchema(String json) {
        schema = json;
        return this;
    }

    PluginJars withoutService() {
        service = false;
        return this;
    }

    PluginJars withManifestEntry(String name, String value) {
        manifest.getMainAttributes().putValue(name, value);
        return this;
    }

    PluginJars withoutManifestEntry(String name) {
        manifest.getMainAttributes().remove(new Attributes.Name(name));
        return this;
    }

    Path write(String fileName) throws IOException {
        Path classes = compile(fileName);
        Path jar = folder.resolve(fileName);
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file, manifest);
                var compiled = Files.walk(classes)) {
            for (Path each : compiled.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(new JarEntry(classes.relativize(each).toString()));
                Files.copy(each, out);
            }
            if (service) {
                out.putNextEntry(new JarEntry("META-INF/services/dev.headgate.spi.PolicyFactory"));
                out.write("sample.Factory\n".getBytes(java.nio.charset.StandardCharsets.UTF_8));
            }
        }
        return jar;
    }

    /** The jar, and no file of it left. */
    public byte[] bytes() throws IOException {
        Path jar = write(id + "-" + System.nanoTime() + ".jar");
        byte[] bytes = Files.readAllBytes(jar);
        Files.delete(jar);
        return bytes;
    }

    private static Path jarOf(Class<?> type) {
        try {
            return Path.of(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private Path compile(String name) throws IOException {
        Path work = Files.createDirectories(folder.resolve("build-" + name.replace(".jar", "")));
        Path source = Files.writeString(work.resolve("Factory.java"), """
                package sample;

                import dev.headgate.spi.*;

                public class Factory implements PolicyFactory {
                    public String id() { return "%s"; }
                    public String description() { %s }
                    public String parameterSchema() { return "%s"; }
                    public Policy create(Parameters parameters) { %s }
                }

                class Sample implements Policy {
                    public Limits limits(PoolView pool) { %s }
                }
                """.formatted(
                        id, describing, schema.replace("\"", "\\\""), creating, answering));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        int status = compiler.run(
                null,
                null,
                null,
                List.of(
                                "-proc:none",
                                "-cp",
                                jarOf(PolicyFactory.class) + File.pathSeparator + jarOf(Logger.class),
                                "-d",
                                work.resolve("classes").toString(),
                                source.toString())
                        .toArray(String[]::new));
        if (status != 0) {
            throw new IllegalStateException("the plugin for the test does not compile");
        }
        return work.resolve("classes");
    }
}
