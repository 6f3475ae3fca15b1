package dev.headgate.server.startup;

import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.access.LoginCodes;
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

    @EventListener
    @SuppressWarnings("SystemOut") // standard output is the contract: scripts wait for this line
    void ready(ApplicationReadyEvent event) {
        if (event.getApplicationContext() instanceof WebServerApplicationContext context
                && context.getWebServer() != null) {
            int port = context.getWebServer().getPort();
            System.out.println("Headgate is ready: http://" + host() + ":" + port + "/?code="
                    + codes.issue().code());
            System.out.flush();
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
