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
class Departures {

    private volatile @Nullable BoundedProtocol protocol;

    void follow(BoundedProtocol connections) {
        protocol = connections;
    }

    /**
     * Whether the caller of the request that this thread is answering is gone. To be asked by this thread alone, and not after
     * the answer. Never where no request is answered.
     */
    BooleanSupplier ofCaller() {
        BoundedProtocol connections = protocol;
        if (connections == null
                || !(RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes)) {
            return () -> false;
        }
        ServletRequest request = attributes.getRequest();
        return connections.isClosed(request.getServletConnection().getConnectionId());
    }
}
