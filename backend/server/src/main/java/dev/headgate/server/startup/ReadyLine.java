package dev.headgate.server.startup;

import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.access.LoginCodes;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Says on standard output, in its only line there, that the service is ready and where. The address opens one browser session
 * within an hour; {@code ./headgate login} prints another.
 */
@Component
final class ReadyLine {

    private final LoginCodes codes;
    private final String address;

    ReadyLine(LoginCodes codes, HeadgateProperties properties) {
        this.codes = codes;
        this.address = properties.address();
    }

    /** Writes past {@code System.out}, whose buffers would keep the code. Standard output is the contract: scripts wait for this line. */
    @EventListener
    @SuppressWarnings("resource") // standard output stays open
    void ready(ApplicationReadyEvent event) {
        if (event.getApplicationContext() instanceof WebServerApplicationContext context
                && context.getWebServer() != null) {
            int port = context.getWebServer().getPort();
            String line = "Headgate is ready: http://" + host() + ":" + port + "/?code="
                    + codes.issue().code() + System.lineSeparator();
            try {
                new FileOutputStream(FileDescriptor.out).write(line.getBytes(StandardCharsets.UTF_8));
            } catch (IOException e) {
                // as System.out has it: nobody listens
            }
        }
    }

    /** A listener on every address is reached by the loopback one. */
    private String host() {
        if (address.equals("0.0.0.0") || address.equals("::")) {
            return "127.0.0.1";
        }
        return address.contains(":") ? "[" + address + "]" : address;
    }
}
