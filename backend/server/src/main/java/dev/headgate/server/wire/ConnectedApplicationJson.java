package dev.headgate.server.wire;

import dev.headgate.server.api.Millis;
import dev.headgate.wire.ClientStatus;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;

/**
 * The connected clients of one application, user and address. The figures are the sums since each connected.
 *
 * @param application their application_name; may be empty
 * @param host where they connect from, without the port
 * @param connections how many are connected
 * @param active of them, those that hold a connection of the pool
 * @param waiting of them, those that wait for one
 */
@Schema(name = "ConnectedApplication")
record ConnectedApplicationJson(
        String application,
        String user,
        String host,
        int connections,
        int active,
        int waiting,
        long transactions,
        long waits,
        double waitedMs,
        long errors,
        long statements,
        long bytesIn,
        long bytesOut) {

    /** Who they are: the same for clients that are shown as one. */
    static String key(ClientStatus client) {
        return String.join("\u0001", client.application(), client.user(), host(client));
    }

    /** @param clients at least one, all of one key */
    static ConnectedApplicationJson of(List<ClientStatus> clients) {
        ClientStatus first = clients.getFirst();
        return new ConnectedApplicationJson(
                first.application(),
                first.user(),
                host(first),
                clients.size(),
                (int) clients.stream()
                        .filter(each -> each.state().equals("active"))
                        .count(),
                (int) clients.stream()
                        .filter(each -> each.state().equals("waiting"))
                        .count(),
                clients.stream().mapToLong(ClientStatus::transactions).sum(),
                clients.stream().mapToLong(ClientStatus::waits).sum(),
                Millis.of(clients.stream().mapToLong(ClientStatus::waitedNanos).sum()),
                clients.stream().mapToLong(ClientStatus::errors).sum(),
                clients.stream().mapToLong(ClientStatus::statements).sum(),
                clients.stream().mapToLong(ClientStatus::bytesIn).sum(),
                clients.stream().mapToLong(ClientStatus::bytesOut).sum());
    }

    private static String host(ClientStatus client) {
        int colon = client.address().lastIndexOf(':');
        return colon < 0 ? client.address() : client.address().substring(0, colon);
    }
}
