package dev.headgate.server.limits;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.tomcat.util.net.SocketWrapperBase;

/**
 * The connections that wait for the rest of a request's headers. Each holds a processor with its buffers meanwhile, which one
 * between two requests does not, so there is a bound on them of their own. At the bound, one more takes the place of the oldest of
 * the address that has the most. Headers that come in one piece never wait. Any thread.
 */
final class UnfinishedHeaders {

    /** By connection: its address. */
    private final Map<SocketWrapperBase<?>, String> oldestFirst = new LinkedHashMap<>();

    private int most = Integer.MAX_VALUE;

    /** Called before the start. */
    synchronized void bound(int connections) {
        most = connections;
    }

    /** A part of the headers has come. Called by the thread that holds the connection's lock. */
    synchronized void waits(SocketWrapperBase<?> connection) {
        oldestFirst.put(connection, Objects.requireNonNullElse(connection.getRemoteAddr(), ""));
        if (oldestFirst.size() > most) {
            oldestFirst.keySet().removeIf(SocketWrapperBase::isClosed);
        }
        if (oldestFirst.size() > most) {
            endOldestOf(addressWithTheMost(), connection);
        }
    }

    /** More has come, or the connection has ended. */
    synchronized void goesOn(SocketWrapperBase<?> connection) {
        oldestFirst.remove(connection);
    }

    /** How many wait, those that have closed among them. */
    synchronized int size() {
        return oldestFirst.size();
    }

    private String addressWithTheMost() {
        Map<String, Integer> counts = new LinkedHashMap<>();
        oldestFirst.values().forEach(address -> counts.merge(address, 1, Integer::sum));
        return counts.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .orElseThrow()
                .getKey();
    }

    /** If all of them are about to go on, there is one too many for a moment. */
    private void endOldestOf(String address, SocketWrapperBase<?> butNot) {
        for (Iterator<Map.Entry<SocketWrapperBase<?>, String>> each =
                        oldestFirst.entrySet().iterator();
                each.hasNext(); ) {
            Map.Entry<SocketWrapperBase<?>, String> oldest = each.next();
            if (oldest.getValue().equals(address)
                    && !oldest.getKey().equals(butNot)
                    && BoundedProtocol.closesWaiting(oldest.getKey())) {
                each.remove();
                return;
            }
        }
    }
}
