package dev.headgate.server;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.ExitCodeGenerator;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;

/** The service's entry point. Exit codes: 0 after a stop, 1 if it cannot start, 4 if a newer Headgate has written the store; 3 is the JVM's, when the heap runs out. */
@SpringBootApplication
@EnableConfigurationProperties(HeadgateProperties.class)
public class Headgate {

    public static void main(String[] arguments) {
        try {
            SpringApplication.run(Headgate.class, arguments);
        } catch (RuntimeException e) {
            System.exit(exitCode(e)); // why has been said by then
        }
    }

    private static int exitCode(RuntimeException failure) {
        for (@Nullable Throwable e = failure; e != null; e = e.getCause()) {
            if (e instanceof ExitCodeGenerator known) {
                return known.getExitCode();
            }
        }
        return 1;
    }
}
