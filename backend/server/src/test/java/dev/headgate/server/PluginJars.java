package dev.headgate.server;

import dev.headgate.testplugin.FixedFactory;
import dev.headgate.testplugin.ShyFactory;
import dev.headgate.testplugin.StuckFactory;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/** Makes plugin jars of the factories in {@code dev.headgate.testplugin}. */
public final class PluginJars {

    private PluginJars() {}

    public static Path writeTo(Path folder) throws IOException {
        Files.createDirectories(folder);
        write(folder, "fixed", FixedFactory.class);
        write(folder, "shy", ShyFactory.class, ShyFactory.class.getName() + "$1");
        write(folder, "stuck", StuckFactory.class);
        return folder;
    }

    private static void write(Path folder, String id, Class<?> factory, String... more) throws IOException {
        Manifest manifest = new Manifest();
        Attributes attributes = manifest.getMainAttributes();
        attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.putValue("Plugin-Id", id);
        attributes.putValue("Plugin-Version", "1.2.3");
        attributes.putValue("Plugin-Description", "A test's plugin");
        attributes.putValue("Headgate-Spi-Version", "1");
        try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(folder.resolve(id + ".jar")), manifest)) {
            put(jar, factory.getName());
            for (String name : more) {
                put(jar, name);
            }
            jar.putNextEntry(new JarEntry("META-INF/services/dev.headgate.spi.PolicyFactory"));
            jar.write(factory.getName().getBytes(StandardCharsets.UTF_8));
        }
    }

    private static void put(JarOutputStream jar, String name) throws IOException {
        String path = name.replace('.', '/') + ".class";
        try (InputStream in = PluginJars.class.getClassLoader().getResourceAsStream(path)) {
            jar.putNextEntry(new JarEntry(path));
            in.transferTo(jar);
        }
    }
}
