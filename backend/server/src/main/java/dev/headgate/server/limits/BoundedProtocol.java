package dev.headgate.server.limits;

import dev.headgate.engine.meter.SilentDeath;
import dev.headgate.wire.AddressBlock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.BooleanSupplier;
import org.apache.coyote.Processor;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.SocketBufferHandler;
import org.apache.tomcat.util.net.SocketEvent;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.jspecify.annotations.Nullable;

/**
 * HTTP with three bounds that Tomcat lacks.
 *
 * <p>The first is on connections. At the bound of one address its new connection takes the place of its oldest one that
 * waits: for the rest of its headers, or for its next request. At the bound of all, which follows from the heap, a new
 * connection takes the place of such a one of the address that has the most. So whoever opens thousands and sends nothing pushes out their
 * own, and liveness and API are answered to everybody, that address included. Requests that are being answered and streams
 * are never ended; where there is nothing else, the new connection is closed.
 *
 * <p>The next is on connections within their headers, which hold more than others do: see {@link UnfinishedHeaders}.
 *
 * <p>The last is on the time that the headers of one request take in all: Tomcat's own bounds the time between two reads, so whoever
 * sends a byte now and then would keep a connection for ever. It is looked at whenever more arrives; who sends nothing meets Tomcat's
 * bound. Made by Tomcat.
 *
 * <p>It also keeps no secret of a request that is over: see {@link WipingProcessor}.
 */
public class BoundedProtocol extends Http11NioProtocol {

    private static final int ACCEPTS_PER_SWEEP = 1_000;

    /** At its own bound Tomcat accepts nothing, so the bound of all is lower by this part of it. */
    private static final int PART = 64;

    /** What a connection holds while it waits for the rest of its headers, as measured, and some more. */
    private static final long BYTES = 56 * 1024;

    final UnfinishedHeaders unfinished = new UnfinishedHeaders();

    public BoundedProtocol() {
        super(new Endpoint());
        getEndpoint().getSocketProperties().setBufferPool(0); // a connection leaves no buffers to the next
    }

    @Override
    protected Processor createProcessor() {
        return new WipingProcessor(this, getAdapter(), unfinished);
    }

    /**
     * Called before the start.
     *
     * @param most connections of one address
     * @param mostOfAll connections in all
     * @param mostUnfinished connections within their headers, of all addresses
     * @param headersWithin from the first byte of a request to the end of its headers
     * @param silence how long a peer may take nothing of its answer; zero for ever. Tomcat's own is that of a peer that sends nothing
     * @param unbound addresses that may have as many as all, since they stand for many
     */
    void bound(
            int most,
            int mostOfAll,
            int mostUnfinished,
            Duration headersWithin,
            Duration silence,
            Set<InetAddress> unbound) {
        unfinished.bound(mostUnfinished);
        Endpoint endpoint = (Endpoint) getEndpoint();
        endpoint.mostOfAll = mostOfAll;
        endpoint.unbound = unbound;
        endpoint.most = most;
        endpoint.headersWithinNanos = headersWithin.toNanos();
        endpoint.silenceMillis = silence.toMillis();
    }

    /** How many connections may take a quarter of the heap. */
    static int connectionsWithin(long heap) {
        return Math.clamp(heap / 4 / BYTES, 1, Integer.MAX_VALUE);
    }

    /**
     * How many connections may stand within their headers: such as take a 64th of the heap. Collections copy what they hold, so
     * that a quarter of the heap made the pauses of all others longer.
     */
    static int unfinishedWithin(long heap) {
        return Math.clamp(heap / 64 / BYTES, 16, Integer.MAX_VALUE);
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

    /** Closes a connection at once, so that its peer does not take what it has received for all. Asked as {@link #isClosed}. */
    void breakOff(String id) {
        ((Endpoint) getEndpoint()).breakOff(id);
    }

    /**
     * Closes a connection that waits for its peer; leaves one alone that a thread answers, which holds its lock, or that is a stream.
     * Without the lock it could be closed just before Tomcat gives it its processor back; Tomcat would then keep both for ever.
     */
    static boolean closesWaiting(SocketWrapperBase<?> connection) {
        if (!connection.getLock().tryLock()) {
            return false;
        }
        try {
            if (connection.getCurrentProcessor() instanceof Processor processor && processor.isUpgrade()) {
                return false;
            }
            connection.close();
            return true;
        } finally {
            connection.getLock().unlock();
        }
    }

    /** All but the bounds and {@code unbound} belongs to the acceptor's thread, of which there is one. */
    private static final class Endpoint extends NioEndpoint {

        private final ByAddress<InetAddress, SocketChannel> open = new ByAddress<>();
        private volatile Set<InetAddress> unbound = Set.of();
        private volatile int most = Integer.MAX_VALUE;
        private volatile int mostOfAll = Integer.MAX_VALUE;
        private volatile long headersWithinNanos = Long.MAX_VALUE;
        private volatile long silenceMillis;
        private int accepts;

        /** When the first byte of the request came whose headers are not complete. */
        private final Map<SocketWrapperBase<?>, Long> begunNanos = Collections.synchronizedMap(new WeakHashMap<>());

        /** Something has arrived. A connection has a processor now only if it waits within the headers, or was upgraded. */
        @Override
        public boolean processSocket(SocketWrapperBase<NioChannel> wrapper, SocketEvent event, boolean dispatch) {
            if (event == SocketEvent.OPEN_READ) {
                long now = System.nanoTime();
                if (!(wrapper.getCurrentProcessor() instanceof Processor processor)) {
                    begunNanos.put(wrapper, now);
                    wrapper.setWriteTimeout(silenceMillis);
                } else if (!processor.isUpgrade()
                        && !processor.isAsync()
                        && now - begunNanos.getOrDefault(wrapper, now) > headersWithinNanos) {
                    return super.processSocket(wrapper, SocketEvent.ERROR, dispatch); // which closes it, with its lock
                }
            }
            return super.processSocket(wrapper, event, dispatch);
        }

        @Override
        protected boolean setSocketOptions(SocketChannel channel) {
            return hasRoom(channel) && noticesDeath(channel) && super.setSocketOptions(channel);
        }

        /** Else the client of a WebSocket whose machine has gone would be there for ever. */
        private static boolean noticesDeath(SocketChannel channel) {
            try {
                SilentDeath.notice(channel);
                return true;
            } catch (IOException e) {
                return false; // it is gone already
            }
        }

        BooleanSupplier isClosed(String id) {
            return connection(id)
                    .<BooleanSupplier>map(wrapper -> () -> isClosed(wrapper.getSocket()))
                    .orElse(() -> false);
        }

        /**
         * Reads all that has come to the end of the connection's buffer. Tomcat's own look ends at the first byte that waits there, as that
         * of the next request does. Behind a full buffer, 8 kB, nothing is seen.
         */
        private static boolean isClosed(NioChannel channel) {
            SocketBufferHandler buffers = channel.getBufHandler();
            buffers.configureReadBufferForWrite();
            ByteBuffer end = buffers.getReadBuffer();
            try {
                int read = 1;
                while (read > 0 && end.hasRemaining()) {
                    read = channel.read(end);
                }
                return read < 0;
            } catch (IOException e) {
                return true;
            }
        }

        void breakOff(String id) {
            connection(id).ifPresent(SocketWrapperBase::close);
        }

        private Optional<SocketWrapperBase<NioChannel>> connection(String id) {
            for (SocketWrapperBase<NioChannel> wrapper : connections.values()) {
                if (id.equals(wrapper.getServletConnection("http/1.1", "").getConnectionId())) {
                    return Optional.of(wrapper);
                }
            }
            return Optional.empty();
        }

        private boolean hasRoom(SocketChannel channel) {
            InetAddress peer = address(channel);
            if (peer == null) {
                return false; // it is gone already
            }
            InetAddress address = AddressBlock.of(peer);
            int mostOfIts = unbound.contains(peer) ? Integer.MAX_VALUE : most;
            if (++accepts % ACCEPTS_PER_SWEEP == 0 || open.size(address) >= mostOfIts || isFull()) {
                open.forget(each -> !each.isOpen());
            }
            if (open.size(address) >= mostOfIts
                    && !open.endsOneOf(address, this::endsKnown)
                    && !open.endsOneOf(address, this::ends)) {
                return false;
            }
            if (isFull() && !open.endsOneOfTheMost(this::endsKnown) && !open.endsOneOfTheMost(this::ends)) {
                return false;
            }
            open.add(address, channel);
            return true;
        }

        private boolean isFull() {
            return connections.size() >= Math.min(mostOfAll, getMaxConnections() - getMaxConnections() / PART - 1);
        }

        /** The poller logs an error where it finds a new connection closed, so one that it does not know yet is the last choice. */
        private boolean endsKnown(SocketChannel channel) {
            return channel.isRegistered() && ends(channel);
        }

        private boolean ends(SocketChannel channel) {
            SocketWrapperBase<NioChannel> wrapper = connections.get(channel);
            return wrapper != null && closesWaiting(wrapper);
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
