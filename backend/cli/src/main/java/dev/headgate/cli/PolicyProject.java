package dev.headgate.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The project of a new policy.
 *
 * @param name of the policy, as in {@code rate-cap}
 */
record PolicyProject(String name) {

    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9]*(-[a-z0-9]+)*");
    private static final int LONGEST = 63;

    /** @throws CommandFailed if the name is not allowed for a policy */
    PolicyProject {
        if (!NAME.matcher(name).matches() || name.length() > LONGEST) {
            throw CommandFailed.notTried("a policy cannot be called '" + name + "': small letters, digits and single"
                    + " dashes, a letter first, at most " + LONGEST + ", like rate-cap");
        }
    }

    /** The name in camel case, such as {@code RateCap}. */
    String className() {
        return Arrays.stream(name.split("-"))
                .map(word -> Character.toUpperCase(word.charAt(0)) + word.substring(1))
                .collect(Collectors.joining());
    }

    /** The Java package. Its suffix keeps it from being a reserved word. */
    String packageName() {
        return "com.example." + name.replace("-", "") + "policy";
    }

    /** The files, by their paths in the project. */
    Map<String, String> files() {
        String folder = packageName().replace('.', '/');
        Map<String, String> files = new LinkedHashMap<>();
        files.put("pom.xml", filled("project/pom.xml"));
        files.put("README.md", filled("project/README.md"));
        files.put("src/main/java/%s/%sFactory.java".formatted(folder, className()), filled("project/Factory.java.txt"));
        files.put("src/main/java/%s/%sPolicy.java".formatted(folder, className()), filled("project/Policy.java.txt"));
        files.put("src/main/resources/%s/parameters.json".formatted(folder), filled("project/parameters.json"));
        files.put(
                "src/main/resources/META-INF/services/dev.headgate.spi.PolicyFactory",
                "%s.%sFactory%n".formatted(packageName(), className()));
        files.put("src/test/java/%s/%sTest.java".formatted(folder, className()), filled("project/Test.java.txt"));
        return files;
    }

    /**
     * Writes the files.
     *
     * @throws CommandFailed if the folder is not empty or cannot be written
     */
    void writeTo(Path folder) {
        if (Files.exists(folder) && !isEmptyFolder(folder)) {
            throw CommandFailed.notTried("'" + folder + "' is there already and not an empty folder");
        }
        try {
            for (Map.Entry<String, String> file : files().entrySet()) {
                Path path = folder.resolve(file.getKey());
                Files.createDirectories(path.toAbsolutePath().getParent());
                Files.writeString(path, file.getValue());
            }
        } catch (IOException e) {
            throw CommandFailed.tried("'" + folder + "' cannot be written: " + e.getMessage());
        }
    }

    private String filled(String template) {
        return Headgate.resource(template)
                .replace("@name@", name)
                .replace("@Name@", className())
                .replace("@package@", packageName())
                .replace("@version@", Headgate.resource("version.txt").strip());
    }

    private static boolean isEmptyFolder(Path folder) {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.findAny().isEmpty();
        } catch (IOException e) {
            return false;
        }
    }
}
