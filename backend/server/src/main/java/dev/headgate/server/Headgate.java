package dev.headgate.server;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;

/** The service's entry point. */
@SpringBootApplication
@EnableConfigurationProperties(HeadgateProperties.class)
public class Headgate {

    public static void main(String[] arguments) {
        SpringApplication.run(Headgate.class, arguments);
    }
}
