package dev.headgate.server.problems;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.transaction.CannotCreateTransactionException;

class StoreFaultTest {

    @Test
    void aStoreThatIsAwaySaysWhy() {
        SQLException refused = new SQLException("Connection to 127.0.0.1:5433 refused.", "08001");
        SQLException noneFree =
                new SQLTransientConnectionException("control-store - Connection is not available", refused);
        assertThat(StoreFault.reason(new CannotCreateTransactionException("Could not open", noneFree)))
                .contains("Connection to 127.0.0.1:5433 refused");
        assertThat(StoreFault.reason(new CannotGetJdbcConnectionException(
                        "no",
                        new SQLException("ERROR: could not extend file\n  Hint: Check free disk space.", "53100"))))
                .contains("ERROR: could not extend file");
    }

    @Test
    void aStatementThatIsWrongIsNoStoreThatIsAway() {
        assertThat(StoreFault.reason(
                        new DataIntegrityViolationException("no", new SQLException("duplicate key", "23505"))))
                .isEmpty();
        assertThat(StoreFault.reason(new IllegalStateException("ours"))).isEmpty();
    }
}
