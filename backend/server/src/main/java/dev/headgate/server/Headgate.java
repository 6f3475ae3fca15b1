package dev.headgate.server;

import dev.headgate.server.startup.FailureSentence;
import dev.headgate.server.startup.PortCheck;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;

/** The service's entry point. Exit codes: 0 after a stop, 1 when it cannot start, 3 when the store is of a newer one. */
@SpringBootApplication
@EnableConfigurationProperties(HeadgateProperties.class)
public class Headgate {

    public static void main(String[] arguments) {
        SpringApplication application = new SpringApplication(Headgate.class);
        application.addListeners(new PortCheck());
        try {
            application.run(arguments);
        } catch (RuntimeException e) {
            System.exit(FailureSentence.exitCode(e));
        }
    }
}
