package dev.headgate.server.databases;

import dev.headgate.engine.connect.Target;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.net.InetAddress;
import java.util.Locale;
import org.hibernate.validator.constraints.Range;
import org.jspecify.annotations.Nullable;

/**
 * A database to connect to, as separate fields, never as a URL.
 *
 * @param name Headgate's name for it
 * @param host a name or an address
 * @param database the database's name on its server
 * @param password stored encrypted and never returned; omitted if the server needs none
 * @param sslMode as in libpq; by default "prefer" for a host on this machine and "verify-full" for any other
 * @param budget the most connections that Headgate may open to it in total
 */
@Schema(name = "DatabaseCreate")
public record DatabaseCreateRequest(
        @NotNull(message = "is missing") @Pattern(regexp = NAME, message = "must be a name")
        String name,

        @NotNull(message = "is missing") @Pattern(regexp = HOST, message = "must be a host name or an address")
        String host,

        @NotNull(message = "is missing") @Range(min = 1, max = 65535, message = "must be a port")
        Integer port,

        @NotNull(message = "is missing") @Pattern(regexp = IDENTIFIER, message = "must be a database's name")
        String database,

        @NotNull(message = "is missing") @Pattern(regexp = IDENTIFIER, message = "must be a user's name")
        String user,

        @Size(max = 1000, message = "is too long") @Nullable String password,

        @Schema(allowableValues = {"disable", "prefer", "require", "verify-ca", "verify-full"})
        @Pattern(regexp = SSL_MODE, message = "must be an SSL mode")
        @Nullable
        String sslMode,

        @NotNull(message = "is missing") @Range(min = 1, max = MOST, message = "must be a number of connections")
        Integer budget) {

    static final String NAME = "^[a-z][a-z0-9-]{0,62}$";
    static final String HOST = "^[A-Za-z0-9._:-]{1,253}$";
    static final String IDENTIFIER = "^[^\\x00-\\x1f\\x7f]{1,63}$";
    static final String SSL_MODE = "^(disable|prefer|require|verify-ca|verify-full)$";
    static final int MOST = 10_000;

    /** The given mode, or the default for the host. Does not resolve names: only {@code localhost} counts as this machine. */
    public String sslModeInForce() {
        if (sslMode != null) {
            return sslMode;
        }
        return (isLoopback(host) ? Target.SslMode.PREFER : Target.SslMode.VERIFY_FULL).label();
    }

    static boolean isLoopback(String host) {
        if (host.equalsIgnoreCase("localhost") || host.toLowerCase(Locale.ROOT).endsWith(".localhost")) {
            return true; // RFC 6761, section 6.3
        }
        try {
            return InetAddress.ofLiteral(host).isLoopbackAddress();
        } catch (IllegalArgumentException e) {
            return false; // a name
        }
    }

    @Override
    public String toString() {
        return name + " (" + user + "@" + host + ":" + port + "/" + database + ")";
    }
}
