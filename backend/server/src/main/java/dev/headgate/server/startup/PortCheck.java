package dev.headgate.server.startup;

import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.store.CannotStart;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationListener;

/** Looks whether the port is free before anything else is started, so that a taken one is told at once. */
public final class PortCheck implements ApplicationListener<ApplicationEnvironmentPreparedEvent> {

    @Override
    public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
        HeadgateProperties properties =
                Binder.get(event.getEnvironment()).bindOrCreate("headgate", HeadgateProperties.class);
        if (properties.port() < 0 || properties.port() > 65535) {
            throw new CannotStart(
                    "the port cannot be " + properties.port() + "; allowed is 1..65535, or 0 for any free one.",
                    CannotStart.EXIT_FAILED);
        }
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getByName(properties.address()), properties.port()));
        } catch (UnknownHostException e) {
            throw new CannotStart("the address " + properties.address() + " is not known.", e);
        } catch (BindException e) {
            throw new CannotStart(
                    "port " + properties.port() + " of " + properties.address() + " cannot be listened on ("
                            + e.getMessage() + "); stop the program that has it, or choose another with --port.",
                    e);
        } catch (IOException e) {
            throw new CannotStart("port " + properties.port() + " cannot be tried: " + e.getMessage(), e);
        }
    }
}
