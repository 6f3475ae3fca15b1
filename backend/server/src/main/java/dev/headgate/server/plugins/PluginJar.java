package dev.headgate.server.plugins;

import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaException;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.headgate.server.limits.RequestMemory;
import dev.headgate.server.problems.Fault;
import dev.headgate.spi.PolicyFactory;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.LongConsumer;
import java.util.jar.Attributes;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A jar, unpacked into memory once. So the hashed bytes are the loaded bytes, and the file can be replaced or removed at any time.
 * {@link #load} finds its plugin, or refuses the jar with the reason.
 */
final class PluginJar {

    static final int MOST_BYTES = RequestMemory.MOST_OF_A_PLUGIN;

    /** How many bytes of an entry are read at a time. */
    private static final int PART = 64 << 10;

    /** What a plugin holds beside its unpacked bytes: its classes, schema and class loader. */
    private static final long PLUGIN_BYTES = 128 << 10;

    private static final int MOST_ENTRIES = 10_000;

    /** Characters of a schema: it is read, and becomes many times as much, whenever plugins are listed. */
    private static final int LONGEST_SCHEMA = 50_000;

    private static final int LONGEST_DESCRIPTION = 1_000;

    /** The deadline for creating its factory and reading the factory's description. */
    private static final Duration DEADLINE = Duration.ofSeconds(5);

    /** The version of this service's SPI, as plugins name it in their manifest. */
    static final String SPI_VERSION = "1";

    private static final String SERVICE = "META-INF/services/" + PolicyFactory.class.getName();
    private static final String ID = "[a-z][a-z0-9-]{0,62}";
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final String source;
    private final String sha256;
    private final Map<String, byte[]> entries;

    private PluginJar(String source, String sha256, Map<String, byte[]> entries) {
        this.source = source;
        this.sha256 = sha256;
        this.entries = entries;
    }

    static PluginJar read(Path jar) throws PluginRefused {
        return read(String.valueOf(jar.getFileName()), jar, bytes -> {});
    }

    /**
     * @param source the jar's name for people
     * @param memory called with the number of unpacked bytes before they are kept; an exception ends the reading
     */
    static PluginJar read(String source, Path jar, LongConsumer memory) throws PluginRefused {
        try {
            if (Files.size(jar) > MOST_BYTES) {
                throw new PluginRefused("is larger than " + (MOST_BYTES >> 20) + " MiB");
            }
            MessageDigest sha256 = sha256Digest();
            try (InputStream file = new BufferedInputStream(Files.newInputStream(jar));
                    InputStream hashed = new DigestInputStream(file, sha256)) {
                Map<String, byte[]> entries = unpack(hashed, memory);
                hashed.transferTo(OutputStream.nullOutputStream()); // the rest after the last entry
                return new PluginJar(source, HexFormat.of().formatHex(sha256.digest()), entries);
            }
        } catch (IOException | IllegalArgumentException e) {
            throw new PluginRefused("cannot be read: " + e);
        }
    }

    String sha256() {
        return sha256;
    }

    /**
     * Loads the plugin. Runs its code (the constructor and the description) on a thread of its own, and blocks until that ends. If the
     * jar is refused, that thread and the threads that it started are interrupted; code that ignores this is abandoned.
     *
     * @param builtIn whether it ships with the service
     */
    InstalledPlugin load(boolean builtIn) throws PluginRefused {
        try {
            return PluginCall.within(DEADLINE, () -> describe(builtIn));
        } catch (ExecutionException e) {
            // The cause may be of a class of the plugin, which would keep its class loader: only the message is kept.
            throw new PluginRefused(
                    e.getCause() instanceof PluginRefused refused
                            ? refused.reason()
                            : "has a factory that cannot be created: " + e.getCause());
        } catch (TimeoutException e) {
            throw new PluginRefused(
                    "did not give its id, schema and description within " + DEADLINE.toSeconds() + " s");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PluginRefused("was not loaded: the service is stopping");
        }
    }

    private InstalledPlugin describe(boolean builtIn) throws PluginRefused {
        Attributes manifest = manifest();
        String id = attribute(manifest, "Plugin-Id");
        String version = attribute(manifest, "Plugin-Version");
        String spi = attribute(manifest, "Headgate-Spi-Version");
        if (!spi.equals(SPI_VERSION)) {
            throw new PluginRefused(
                    "needs version " + spi + " of the policy SPI; this service has version " + SPI_VERSION);
        }
        if (!PluginVersion.isAllowed(version)) {
            throw new PluginRefused("has the Plugin-Version '" + version
                    + "'; allowed are at most 64 letters, digits, dots, dashes and plus signs, beginning with a digit");
        }
        PolicyFactory factory = factory();
        try {
            if (!id.matches(ID) || !id.equals(factory.id())) {
                throw new PluginRefused("has the id '" + id + "' in its manifest and '" + factory.id()
                        + "' in its factory; both must be the same name of lower-case letters, digits and dashes");
            }
            String schema = bounded(factory.parameterSchema(), LONGEST_SCHEMA, "parameter schema");
            ParameterSchema checked = checkSchema(schema);
            String description = bounded(factory.description(), LONGEST_DESCRIPTION, "description");
            if (description.isBlank()) {
                throw new PluginRefused("has no description");
            }
            return new InstalledPlugin(
                    id, new PluginVersion(version), description, source, sha256, builtIn, bytes(), checked, factory);
        } catch (RuntimeException | LinkageError | StackOverflowError | AssertionError e) {
            throw new PluginRefused("failed to give its id, schema and description: " + e);
        }
    }

    private long bytes() {
        return PLUGIN_BYTES
                + entries.values().stream().mapToLong(each -> each.length).sum();
    }

    private PolicyFactory factory() throws PluginRefused {
        if (!entries.containsKey(SERVICE)) {
            throw new PluginRefused("is not a policy plugin: it has no " + SERVICE);
        }
        PluginClassLoader loader = new PluginClassLoader(source, entries);
        try {
            List<PolicyFactory> factories = ServiceLoader.load(PolicyFactory.class, loader).stream()
                    .map(ServiceLoader.Provider::get)
                    .toList();
            if (factories.size() != 1) {
                throw new PluginRefused("names " + factories.size() + " policy factories; exactly one is allowed");
            }
            return factories.getFirst();
        } catch (ServiceConfigurationError e) {
            Throwable cause = e.getCause();
            throw new PluginRefused(
                    "has a factory that cannot be created: " + e.getMessage() + (cause == null ? "" : ": " + cause));
        } catch (RuntimeException | LinkageError | StackOverflowError | AssertionError e) {
            throw new PluginRefused("has a factory that cannot be created: " + e);
        }
    }

    /** The text, or an empty one in place of null. */
    private static String bounded(@Nullable String text, int most, String what) throws PluginRefused {
        String given = text == null ? "" : text;
        if (given.length() > most) {
            throw new PluginRefused(
                    "has a " + what + " of " + given.length() + " characters; allowed are at most " + most);
        }
        return given;
    }

    private static ParameterSchema checkSchema(String schema) throws PluginRefused {
        JsonNode root;
        try {
            root = JSON.readTree(schema);
        } catch (JacksonException e) {
            throw new PluginRefused("has a parameter schema that is not JSON: " + e.getOriginalMessage());
        }
        if (!root.path("type").asString("").equals("object")) {
            throw new PluginRefused("has a parameter schema whose root is not of type object");
        }
        SchemaRegistry registry = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);
        List<Error> faults = registry.getSchema(SchemaLocation.of(SpecificationVersion.DRAFT_2020_12.getDialectId()))
                .validate(schema, InputFormat.JSON);
        if (!faults.isEmpty()) {
            Error first = faults.getFirst();
            throw new PluginRefused("has a parameter schema that is not a JSON Schema (2020-12): "
                    + first.getInstanceLocation() + " " + first.getMessage());
        }
        try {
            ParameterSchema checked = new ParameterSchema(schema);
            // what it says of parameters does not matter here, only that it comes to an end
            List<Fault> _ = checked.check(JSON.createObjectNode());
            return checked;
        } catch (SchemaException e) {
            throw new PluginRefused("has a parameter schema that cannot be used: " + e.getMessage());
        }
    }

    private Attributes manifest() throws PluginRefused {
        byte[] bytes = entries.get("META-INF/MANIFEST.MF");
        if (bytes == null) {
            throw new PluginRefused(
                    entries.isEmpty() ? "is not a jar" : "is not a policy plugin: it has no META-INF/MANIFEST.MF");
        }
        try {
            return new Manifest(new ByteArrayInputStream(bytes)).getMainAttributes();
        } catch (IOException e) {
            throw new PluginRefused("has a manifest that cannot be read: " + e);
        }
    }

    private static String attribute(Attributes manifest, String name) throws PluginRefused {
        String value = manifest.getValue(name);
        if (value == null || value.isBlank()) {
            throw new PluginRefused("is not a policy plugin: its manifest has no " + name);
        }
        return value.strip();
    }

    /** @param jar is not closed */
    private static Map<String, byte[]> unpack(InputStream jar, LongConsumer memory) throws IOException {
        Map<String, byte[]> entries = new HashMap<>();
        int unpacked = 0;
        int count = 0;
        ZipInputStream zip = new ZipInputStream(jar);
        for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
            if (++count > MOST_ENTRIES) {
                throw new IOException("it has more than " + MOST_ENTRIES + " entries");
            }
            unpacked += entry.getName().length();
            byte[] content = content(zip, Math.max(MOST_BYTES - unpacked + 1, 0), memory);
            unpacked += content.length;
            if (unpacked > MOST_BYTES) {
                throw new IOException("it unpacks to more than " + (MOST_BYTES >> 20) + " MiB");
            }
            if (!entry.isDirectory()) {
                entries.put(entry.getName(), content);
            }
        }
        return entries;
    }

    private static byte[] content(InputStream entry, int most, LongConsumer memory) throws IOException {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        byte[] part = entry.readNBytes(Math.min(PART, most));
        while (part.length > 0) {
            memory.accept(part.length);
            content.write(part);
            part = entry.readNBytes(Math.min(PART, most - content.size()));
        }
        return content.toByteArray();
    }

    private static MessageDigest sha256Digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
