package dev.headgate.engine.connect;

import dev.headgate.engine.meter.ConnectionMeter;
import java.sql.SQLException;
import java.util.Properties;
import org.postgresql.jdbc.PgConnection;
import org.postgresql.util.HostSpec;

/** A physical connection that knows its meter, so that whoever unwraps it has both. Adds nothing to any call. */
public final class MeteredConnection extends PgConnection {

    private final ConnectionMeter meter;
    private final Runnable onClose;

    MeteredConnection(HostSpec host, Properties properties, String url, ConnectionMeter meter, Runnable onClose)
            throws SQLException {
        super(new HostSpec[] {host}, properties, url);
        this.meter = meter;
        this.onClose = onClose;
    }

    public ConnectionMeter meter() {
        return meter;
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
