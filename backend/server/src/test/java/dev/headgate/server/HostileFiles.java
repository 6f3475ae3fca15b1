package dev.headgate.server;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/** Policy files and plugin jars in which something is wrong. */
final class HostileFiles {

    /** Right, but that nobody has the password of its database. */
    static final String YAML = """
            apiVersion: headgate/v1
            databases:
              - name: h-3
                host: 127.0.0.1
                port: 1
                database: a
                user: a
                passwordEnv: HOSTILE
                budget: 5
            domains:
              - name: h-1
                database: main
                description: &text "something"
                wire: {mode: transaction}
                policySet:
                  comment: *text
                  policies:
                    - plugin: fixed
                      parameters: {min: 1, max: 3}
                  whenExhausted: {mode: queue, timeoutMs: 500, depth: 5}
            """;

    private static final String[] YAML_PIECES = {
        "&a [*a]",
        "*b",
        "&a",
        "<<: *text",
        "!!java.lang.Object {}",
        "!!binary aa",
        "? - a",
        "---",
        "...",
        "%YAML 9.9",
        "\t",
        "|",
        ">-",
        "{",
        "[",
        "]]",
        "'",
        "\"\\u0000\"",
        "~",
        "0x7fffffffffffffff",
        "1e999",
        ".inf",
        ".nan",
        "2026-11-23",
        "1:30",
        "yes",
        "<<: [1]",
        "{a: {a: {a: {}}}}",
        "[".repeat(70),
        "- ".repeat(90),
        "passwordFile: /etc/passwd",
        "passwordEnv: PATH",
        "name: h-1",
        "\u0000",
        "\ud83d\ude00",
        "*\ud83d\ude00" + "\ud83d\ude00".repeat(1_000),
        "x" + "\ud83d\ude00".repeat(1_000),
        "a: b: c",
        "!<tag:yaml.org,2002:set> {a}",
        ": ",
        "- - -",
        "#"
    };

    private HostileFiles() {}

    /** A policy file with up to three lines wrong. */
    static byte[] yaml(SplittableRandom random) {
        return yaml(YAML, random);
    }

    /** A policy file that is not the right one. */
    static byte[] wrongYaml(String right, SplittableRandom random) {
        byte[] same = right.getBytes(StandardCharsets.UTF_8);
        byte[] made = same;
        while (Arrays.equals(made, same)) {
            made = yaml(right, random);
        }
        return made;
    }

    private static byte[] yaml(String right, SplittableRandom random) {
        List<String> lines = new ArrayList<>(List.of(right.split("\n", -1)));
        for (int left = random.nextInt(4); left > 0; left--) {
            int at = random.nextInt(lines.size());
            String piece = YAML_PIECES[random.nextInt(YAML_PIECES.length)];
            String line = lines.get(at);
            switch (random.nextInt(6)) {
                case 0 -> lines.remove(at);
                case 1 -> lines.add(at, line);
                case 2 ->
                    lines.set(at, line.replaceFirst(": .*", ": " + java.util.regex.Matcher.quoteReplacement(piece)));
                case 3 -> lines.set(at, line + piece);
                case 4 -> lines.set(at, " ".repeat(random.nextInt(5)) + line);
                default -> lines.add(at, piece);
            }
            if (lines.isEmpty()) {
                break;
            }
        }
        byte[] file = String.join("\n", lines).getBytes(StandardCharsets.UTF_8);
        return random.nextInt(4) == 0 ? HostileJson.spoilt(file, random) : file;
    }

    /** The jar with entries that are changed, renamed, missing or added; one at least. */
    static byte[] rezipped(byte[] jar, SplittableRandom random) throws IOException {
        Map<String, byte[]> entries = entries(jar);
        int wrong = random.nextInt(entries.size());
        int place = 0;
        ByteArrayOutputStream made = new ByteArrayOutputStream();
        try (ZipOutputStream to = new ZipOutputStream(made)) {
            for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                byte[] content = entry.getValue();
                String name = entry.getKey();
                switch (random.nextInt(place++ == wrong ? 3 : 8)) {
                    case 0 -> content = HostileJson.spoilt(content, random);
                    case 1 -> content = new byte[random.nextInt(100)];
                    case 2 ->
                        name = List.of("../../" + name, "/" + name, name + "/", "a" + name, "\u0000")
                                .get(random.nextInt(5));
                    case 3 -> name = name.replace("Fixed", "Other");
                    default -> {}
                }
                if (random.nextInt(10) > 0) {
                    to.putNextEntry(new ZipEntry(name));
                    to.write(content);
                    to.closeEntry();
                }
            }
            if (random.nextInt(4) == 0) {
                to.putNextEntry(new ZipEntry(List.of(
                                "META-INF/MANIFEST.MF2",
                                "lib/a.jar",
                                "module-info.class",
                                "META-INF/versions/9/a.class",
                                "big")
                        .get(random.nextInt(5))));
                to.write(new byte[random.nextInt(1 << 20)]);
            }
        } catch (java.util.zip.ZipException twice) {
            return made.toByteArray();
        }
        return made.toByteArray();
    }

    private static Map<String, byte[]> entries(byte[] jar) throws IOException {
        Map<String, byte[]> entries = new LinkedHashMap<>();
        try (ZipInputStream from = new ZipInputStream(new ByteArrayInputStream(jar))) {
            for (ZipEntry entry = from.getNextEntry(); entry != null; entry = from.getNextEntry()) {
                entries.put(entry.getName(), from.readAllBytes());
            }
        }
        return entries;
    }
}
