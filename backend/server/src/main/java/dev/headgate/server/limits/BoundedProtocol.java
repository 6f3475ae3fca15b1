package dev.headgate.server.limits;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.apache.coyote.Processor;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.jspecify.annotations.Nullable;

/**
 * HTTP with a bound on the connections of one address. At the bound a new connection takes the place of the oldest one that
 * waits: for the rest of its headers, or for its next request. So whoever opens thousands and sends nothing pushes out their
 * own, and liveness and API are answered to everybody, that address included. Requests that are being answered and streams
 * are never ended; where there is nothing else, the new connection is closed. Made by Tomcat.
 */
public final class BoundedProtocol extends Http11NioProtocol {

    private static final int ACCEPTS_PER_SWEEP = 1_000;

    public BoundedProtocol() {
        super(new Endpoint());
    }

    /**
     * Called before the start.
     *
     * @param most connections of one address
     * @param unbound addresses that this does not bound, since they stand for many
     */
    void bound(int most, Set<InetAddress> unbound) {
        Endpoint endpoint = (Endpoint) getEndpoint();
        endpoint.unbound = unbound;
        endpoint.most = most;
    }

    /**
     * Whether the peer of a connection has closed it. What the peer has sent meanwhile is kept for its next request. To be asked
     * by the thread that answers the connection's request; never true where there is no such connection.
     *
     * @param id as the servlet connection has it
     */
    BooleanSupplier isClosed(String id) {
        return ((Endpoint) getEndpoint()).isClosed(id);
    }

    /** All but {@code most} and {@code unbound} belongs to the acceptor's thread, of which there is one. */
    private static final class Endpoint extends NioEndpoint {

        private final Map<InetAddress, Deque<SocketChannel>> oldestFirst = new HashMap<>();
        private volatile Set<InetAddress> unbound = Set.of();
        private volatile int most = Integer.MAX_VALUE;
        private int accepts;

        @Override
        protected boolean setSocketOptions(SocketChannel channel) {
            return hasRoom(channel) && super.setSocketOptions(channel);
        }

        BooleanSupplier isClosed(String id) {
            for (SocketWrapperBase<NioChannel> wrapper : connections.values()) {
                if (id.equals(wrapper.getServletConnection("http/1.1", "").getConnectionId())) {
                    return () -> {
                        try {
                            boolean _ = wrapper.isReadyForRead();
                            return false;
                        } catch (IOException e) {
                            return true;
                        }
                    };
                }
            }
            return () -> false;
        }

        private boolean hasRoom(SocketChannel channel) {
            if (++accepts % ACCEPTS_PER_SWEEP == 0) {
                oldestFirst.values().removeIf(of -> of.stream().noneMatch(SocketChannel::isOpen));
            }
            InetAddress address = address(channel);
            if (address == null) {
                return false; // it is gone already
            }
            if (unbound.contains(address)) {
                return true;
            }
            Deque<SocketChannel> open = oldestFirst.computeIfAbsent(address, _ -> new ArrayDeque<>());
            open.removeIf(each -> !each.isOpen());
            if (open.size() >= most && !endsOne(open)) {
                return false;
            }
            open.addLast(channel);
            return true;
        }

        private boolean endsOne(Deque<SocketChannel> open) {
            for (Iterator<SocketChannel> each = open.iterator(); each.hasNext(); ) {
                SocketWrapperBase<NioChannel> wrapper = connections.get(each.next());
                if (wrapper != null && waits(wrapper)) {
                    each.remove();
                    wrapper.close();
                    return true;
                }
            }
            return false;
        }

        /** A thread that answers a request holds the connection's lock; a stream has upgraded. */
        private static boolean waits(SocketWrapperBase<NioChannel> wrapper) {
            return !wrapper.getLock().isLocked()
                    && !(wrapper.getCurrentProcessor() instanceof Processor processor && processor.isUpgrade());
        }

        private static @Nullable InetAddress address(SocketChannel channel) {
            try {
                return channel.getRemoteAddress() instanceof InetSocketAddress remote ? remote.getAddress() : null;
            } catch (IOException e) {
                return null;
            }
        }
    }
}
