package dev.headgate.server.limits;

import dev.headgate.wire.AddressBlock;
import java.util.Objects;
import org.apache.tomcat.util.net.SocketWrapperBase;

/**
 * The connections that wait for the rest of a request's headers. Each holds a processor with its buffers meanwhile, which one
 * between two requests does not, so there is a bound on them of their own. At the bound, one more takes the place of the oldest of
 * the address that has the most. Headers that come in one piece never wait. Any thread.
 */
final class UnfinishedHeaders {

    private final ByAddress<String, SocketWrapperBase<?>> waiting = new ByAddress<>();
    private int most = Integer.MAX_VALUE;

    /** Called before the start. */
    synchronized void bound(int connections) {
        most = connections;
    }

    /** A part of the headers has come. Called by the thread that holds the connection's lock. */
    synchronized void waits(SocketWrapperBase<?> connection) {
        waiting.add(address(connection), connection);
        if (waiting.size() > most) {
            waiting.forget(SocketWrapperBase::isClosed);
        }
        if (waiting.size() > most) { // if all of them are about to go on, there is one too many for a moment
            boolean _ =
                    waiting.endsOneOfTheMost(each -> !each.equals(connection) && BoundedProtocol.closesWaiting(each));
        }
    }

    /** More has come, or the connection has ended. */
    synchronized void goesOn(SocketWrapperBase<?> connection) {
        waiting.remove(address(connection), connection);
    }

    /** How many wait, those that have closed among them. */
    synchronized int size() {
        return waiting.size();
    }

    /** The same for as long as there is the connection. */
    private static String address(SocketWrapperBase<?> connection) {
        return AddressBlock.of(Objects.requireNonNullElse(connection.getRemoteAddr(), ""));
    }
}
