package dev.headgate.server.demo;

import dev.headgate.spi.Limits;
import dev.headgate.spi.Parameters;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PolicyFactory;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/**
 * Stands in for the demo's policies: has the name that its jar gives it, takes any parameters and allows ten
 * connections. Lives in plugin jars that the tests make.
 */
public final class NamedFactory implements PolicyFactory {

    private static final String NAME = "plugin-name";

    /** Makes a jar for each name. */
    static void writeTo(Path folder, String... names) throws IOException {
        Files.createDirectories(folder);
        for (String name : names) {
            Manifest manifest = new Manifest();
            Attributes attributes = manifest.getMainAttributes();
            attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
            attributes.putValue("Plugin-Id", name);
            attributes.putValue("Plugin-Version", "1.0.0");
            attributes.putValue("Plugin-Description", "Stands in for " + name);
            attributes.putValue("Headgate-Spi-Version", "1");
            String path = NamedFactory.class.getName().replace('.', '/') + ".class";
            try (OutputStream file = Files.newOutputStream(folder.resolve(name + ".jar"));
                    JarOutputStream jar = new JarOutputStream(file, manifest);
                    InputStream code = NamedFactory.class.getClassLoader().getResourceAsStream(path)) {
                jar.putNextEntry(new JarEntry(path));
                code.transferTo(jar);
                jar.putNextEntry(new JarEntry("META-INF/services/" + PolicyFactory.class.getName()));
                jar.write(NamedFactory.class.getName().getBytes(StandardCharsets.UTF_8));
                jar.putNextEntry(new JarEntry(NAME));
                jar.write(name.getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    @Override
    public String id() {
        try (InputStream name = NamedFactory.class.getClassLoader().getResourceAsStream(NAME)) {
            return new String(name.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String description() {
        return "Stands in for a policy of the demo.";
    }

    @Override
    public String parameterSchema() {
        return """
                {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}""";
    }

    @Override
    public Policy create(Parameters parameters) {
        Limits limits =
                Limits.unbounded().withFloor(1).withCeiling(10).because("Ten connections are enough for a test.");
        return view -> limits;
    }
}
