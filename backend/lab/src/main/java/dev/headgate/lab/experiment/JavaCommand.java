package dev.headgate.lab.experiment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.jar.Manifest;

/** How a program of this class path is started as a process of its own. */
public final class JavaCommand {

    private static final String LOADER = "org.springframework.boot.loader.";

    private JavaCommand() {}

    /**
     * The command, with this process's Java and classes, also where they are packed into one jar.
     *
     * @param options of the virtual machine
     */
    public static List<String> of(Class<?> main, String... options) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(options));
        String classes = System.getProperty("java.class.path");
        if (isPacked(classes)) {
            command.addAll(
                    List.of("-Dloader.main=" + main.getName(), "-cp", classes, LOADER + "launch.PropertiesLauncher"));
        } else {
            command.addAll(List.of("-cp", classes, main.getName()));
        }
        return command;
    }

    /** Whether the classes lie in jars within one jar, which only Spring Boot's loader reads. */
    private static boolean isPacked(String classes) throws IOException {
        if (!classes.endsWith(".jar") || !Files.isRegularFile(Path.of(classes))) {
            return false;
        }
        try (JarFile jar = new JarFile(classes)) {
            Manifest manifest = jar.getManifest();
            String main = manifest == null ? null : manifest.getMainAttributes().getValue("Main-Class");
            return main != null && main.startsWith(LOADER);
        }
    }
}
