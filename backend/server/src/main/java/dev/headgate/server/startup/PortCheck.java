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

/** Checks whether the ports are free before anything else starts, so that a port in use is reported at once. */
public final class PortCheck implements ApplicationListener<ApplicationEnvironmentPreparedEvent> {

    @Override
    public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
        HeadgateProperties properties =
                Binder.get(event.getEnvironment()).bindOrCreate("headgate", HeadgateProperties.class);
        HeadgateProperties.Wire wire = properties.wire();
        check("port", "--port", properties.address(), properties.port());
        if (!wire.enabled()) {
            return;
        }
        if (wire.port() == properties.port() && wire.port() != 0) {
            throw new CannotStart(
                    "the dashboard and the wire port cannot both use port " + wire.port()
                            + "; choose another with --port or --wire-port.",
                    CannotStart.EXIT_FAILED);
        }
        check("wire port", "--wire-port", wire.address(), wire.port());
    }

    /** @param option the option that chooses the port */
    private static void check(String name, String option, String address, int port) {
        if (port < 0 || port > 65535) {
            throw new CannotStart(
                    "the " + name + " cannot be " + port + "; allowed is 1..65535, or 0 for any free port.",
                    CannotStart.EXIT_FAILED);
        }
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getByName(address), port));
        } catch (UnknownHostException e) {
            throw new CannotStart("the address " + address + " is not known.", e);
        } catch (BindException e) {
            throw new CannotStart(
                    name + " " + port + " on " + address + " cannot be opened (" + e.getMessage()
                            + "); stop the program that uses it, or choose another with " + option + ".",
                    e);
        } catch (IOException e) {
            throw new CannotStart(name + " " + port + " cannot be checked: " + e.getMessage(), e);
        }
    }
}
