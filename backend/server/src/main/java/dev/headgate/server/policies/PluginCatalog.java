package dev.headgate.server.policies;

import dev.headgate.spi.PolicyFactory;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/** Stand-in until the one with PF4J is merged. */
final class PluginCatalog implements AutoCloseable {

    private final List<InstalledPlugin> plugins = new ArrayList<>();
    private final List<URLClassLoader> loaders = new ArrayList<>();

    PluginCatalog(Path folder) {
        if (!Files.isDirectory(folder)) {
            return;
        }
        try (var files = Files.list(folder)) {
            for (Path jar : files.filter(f -> f.toString().endsWith(".jar")).toList()) {
                load(jar);
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    List<InstalledPlugin> list() {
        return List.copyOf(plugins);
    }

    Optional<InstalledPlugin> find(String id) {
        return plugins.stream().filter(plugin -> plugin.id().equals(id)).findFirst();
    }

    @Override
    public void close() throws IOException {
        for (URLClassLoader loader : loaders) {
            loader.close();
        }
    }

    private void load(Path jar) throws MalformedURLException {
        URLClassLoader loader =
                new URLClassLoader(new URL[] {jar.toUri().toURL()}, new SpiAlone());
        loaders.add(loader);
        for (PolicyFactory factory : ServiceLoader.load(PolicyFactory.class, loader)) {
            if (factory.getClass().getClassLoader().equals(loader)) {
                plugins.add(new InstalledPlugin(
                        factory.id(),
                        "0",
                        factory.description(),
                        String.valueOf(jar.getFileName()),
                        "",
                        factory.parameterSchema(),
                        factory));
            }
        }
    }

    private static final class SpiAlone extends ClassLoader {
        SpiAlone() {
            super(getPlatformClassLoader());
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (name.startsWith("dev.headgate.spi.")) {
                return PolicyFactory.class.getClassLoader().loadClass(name);
            }
            throw new ClassNotFoundException(name);
        }
    }
}
