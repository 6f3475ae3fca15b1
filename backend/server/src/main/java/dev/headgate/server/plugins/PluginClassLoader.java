package dev.headgate.server.plugins;

import dev.headgate.spi.PolicyFactory;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The classes of one plugin, loaded from memory. It sees three things, in this order: the JDK's platform classes, the package
 * {@code dev.headgate.spi}, and the plugin's own jar. It sees nothing else of the service, so a plugin may bring its own version of
 * any library.
 *
 * <p>It holds no open file and needs no closing. It is collected with the last policy of its plugin.
 */
final class PluginClassLoader extends ClassLoader {

    static {
        registerAsParallelCapable();
    }

    private static final String SPI = PolicyFactory.class.getPackageName() + ".";

    private final Map<String, byte[]> entries;

    PluginClassLoader(String name, Map<String, byte[]> entries) {
        super(name, new SpiOnly());
        this.entries = Map.copyOf(entries);
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        byte[] code = entries.get(name.replace('.', '/') + ".class");
        if (code == null) {
            throw new ClassNotFoundException(
                    name + " (a policy plugin sees the JDK, " + SPI + "* and what is in its own jar)");
        }
        return defineClass(name, code, 0, code.length);
    }

    @Override
    protected @Nullable URL findResource(String name) {
        byte[] content = entries.get(name);
        if (content == null) {
            return null;
        }
        try {
            return URL.of(URI.create("plugin:/" + name.replace(" ", "%20")), new InMemory(content));
        } catch (MalformedURLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    protected Enumeration<URL> findResources(String name) {
        URL found = findResource(name);
        return Collections.enumeration(found == null ? List.of() : List.of(found));
    }

    /** Finds the JDK's platform classes and resources, and of ours only the SPI. */
    private static final class SpiOnly extends ClassLoader {

        SpiOnly() {
            super("policy-spi", ClassLoader.getPlatformClassLoader());
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (name.startsWith(SPI)) {
                return PolicyFactory.class.getClassLoader().loadClass(name);
            }
            throw new ClassNotFoundException(name);
        }
    }

    private static final class InMemory extends URLStreamHandler {

        private final byte[] content;

        InMemory(byte[] content) {
            this.content = content;
        }

        @Override
        protected URLConnection openConnection(URL url) {
            return new URLConnection(url) {
                @Override
                public void connect() {}

                @Override
                public InputStream getInputStream() {
                    return new ByteArrayInputStream(content);
                }
            };
        }
    }
}
