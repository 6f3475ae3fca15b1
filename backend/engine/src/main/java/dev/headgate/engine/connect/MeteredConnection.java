package dev.headgate.engine.connect;

import dev.headgate.engine.meter.ConnectionMeter;
import java.net.Socket;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Properties;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.postgresql.jdbc.PgConnection;
import org.postgresql.util.HostSpec;

/** A physical connection that knows its meter, so that whoever unwraps it has both. Adds nothing to any call. */
public final class MeteredConnection extends PgConnection {

    private final ConnectionMeter meter;
    private final Supplier<@Nullable Socket> socket;

    /** What a relay left in the session; the holder's own. */
    private @Nullable Leftovers leftovers;

    private final Runnable onClose;

    MeteredConnection(
            HostSpec host,
            Properties properties,
            String url,
            ConnectionMeter meter,
            Supplier<@Nullable Socket> socket,
            Runnable onClose)
            throws SQLException {
        super(new HostSpec[] {host}, properties, url);
        this.meter = meter;
        this.socket = socket;
        this.onClose = onClose;
    }

    public ConnectionMeter meter() {
        return meter;
    }

    /** The socket the server is spoken to over, above TLS where there is TLS. */
    public Socket socket() {
        return Objects.requireNonNull(socket.get(), "an open connection has a socket");
    }

    public @Nullable Leftovers leftovers() {
        return leftovers;
    }

    public void leave(@Nullable Leftovers next) {
        leftovers = next;
    }

    @Override
    public void close() throws SQLException {
        meter.closing();
        try {
            super.close();
        } finally {
            onClose.run();
        }
    }
}
