package dev.headgate.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;

/** Headgate's version and build, as the build wrote them into the jar. */
public final class Version {

    private static final String CURRENT;
    private static final String WITH_BUILD;

    static {
        Iterator<String> lines = read().lines().iterator();
        CURRENT = lines.next();
        String build = lines.hasNext() ? lines.next() : "";
        WITH_BUILD = build.isEmpty() ? CURRENT : CURRENT + "+" + build;
    }

    private Version() {}

    public static String current() {
        return CURRENT;
    }

    /** Also tells builds of one version apart: "0.1.0+5ba63877", with the commit or the digest of its sources, or both. */
    public static String withBuild() {
        return WITH_BUILD;
    }

    private static String read() {
        try (InputStream in = Version.class.getResourceAsStream("version.txt")) {
            return in == null ? "unknown" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
