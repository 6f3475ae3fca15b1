package dev.headgate.engine.connect;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class ConnectFaultTest {

    private static final String FAILED = "The connection attempt failed.";

    @Test
    void saysWhatTheDriverIsSilentAbout() {
        assertThat(ConnectFault.why(new SQLException(FAILED, "08001", new UnknownHostException("db.example.org"))))
                .isEqualTo(FAILED + " (there is no host of the name db.example.org)");
        assertThat(ConnectFault.why(new SQLException(FAILED, "08001", new SocketTimeoutException("Read timed out"))))
                .isEqualTo(FAILED + " (Read timed out)");
    }

    @Test
    void saysNothingTwice() {
        String refused = "Connection to 127.0.0.1:5432 refused.";
        assertThat(ConnectFault.why(new SQLException(refused, "08001", new ConnectException("Connection refused"))))
                .isEqualTo(refused);
        assertThat(ConnectFault.why(new SQLException("FATAL: sorry, too many clients already")))
                .isEqualTo("FATAL: sorry, too many clients already");
        assertThat(ConnectFault.why(new SQLException(FAILED, "08001", new SocketTimeoutException())))
                .isEqualTo(FAILED);
    }
}
