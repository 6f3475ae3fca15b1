package dev.headgate.server.limits;

import jakarta.servlet.ServletRequest;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * Notices that a caller has closed its connection while its request is still being answered. A servlet is not told: nothing
 * reads from the connection meanwhile.
 */
@Component
public class Departures {

    private volatile @Nullable BoundedProtocol protocol;

    void follow(BoundedProtocol connections) {
        protocol = connections;
    }

    /**
     * Tells whether the caller of this thread's current request has gone. Only for this thread, and only until the request is
     * answered. Always false if the thread answers no request.
     */
    public BooleanSupplier ofCaller() {
        BoundedProtocol connections = protocol;
        if (connections == null
                || !(RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes)) {
            return () -> false;
        }
        ServletRequest request = attributes.getRequest();
        return connections.isClosed(request.getServletConnection().getConnectionId());
    }

    /**
     * Closes the caller's connection at once, so that it does not take a part of the answer for the whole. Called by the thread that
     * answers the request.
     */
    public void breakOff(ServletRequest request) {
        BoundedProtocol connections = protocol;
        if (connections != null) {
            connections.breakOff(request.getServletConnection().getConnectionId());
        }
    }
}
