package dev.headgate.lab.experiment;

import java.security.CodeSource;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The jar that a library came in. */
public final class Jar {

    /** Also of a jar within a jar: {@code app.jar/!BOOT-INF/lib/HikariCP-7.1.0.jar!/}. */
    private static final Pattern VERSION = Pattern.compile("-(\\d[^/]*)\\.jar(?:!/?)?$");

    private Jar() {}

    /** The version in the name of a class's jar; empty if it has none. */
    public static Optional<String> version(Class<?> part) {
        CodeSource source = part.getProtectionDomain().getCodeSource();
        return source == null ? Optional.empty() : version(source.getLocation().toString());
    }

    static Optional<String> version(String at) {
        Matcher version = VERSION.matcher(at);
        return version.find() ? Optional.of(version.group(1)) : Optional.empty();
    }
}
