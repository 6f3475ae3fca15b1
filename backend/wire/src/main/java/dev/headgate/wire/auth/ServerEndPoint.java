package dev.headgate.wire.auth;

import com.ongres.scram.common.util.TlsServerEndpoint;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.List;

/**
 * What a login can be bound to, so that nobody between client and server can pass it on over a TLS connection of his own: the hash of the
 * certificate that this connection's server has shown ({@code tls-server-end-point}, RFC 5929, section 4). Immutable.
 *
 * <p>The hash is that of the certificate's signature, SHA-256 in place of MD5 and SHA-1. It is not defined for signatures that do not name
 * one, as Ed25519. For RSASSA-PSS, which names it in its parameters, drivers disagree about it. Both count as nothing to bind to, as a
 * connection without TLS does.
 */
public final class ServerEndPoint {

    /** There is nothing to bind to. */
    public static final ServerEndPoint NONE = new ServerEndPoint(new byte[0]);

    static final String MECHANISM = "SCRAM-SHA-256";
    static final String BINDING_MECHANISM = "SCRAM-SHA-256-PLUS";

    private final byte[] hash;

    private ServerEndPoint(byte[] hash) {
        this.hash = hash;
    }

    /** Of the certificate that a client was shown. */
    public static ServerEndPoint of(X509Certificate certificate) {
        if (!certificate.getSigAlgName().contains("with")) { // as SHA256withECDSA
            return NONE;
        }
        try {
            return new ServerEndPoint(TlsServerEndpoint.getChannelBindingData(certificate));
        } catch (CertificateEncodingException e) {
            throw new IllegalStateException("a certificate that was sent has no encoding", e);
        }
    }

    /** The mechanisms to offer, the preferred first. */
    public List<String> mechanisms() {
        return isKnown() ? List.of(BINDING_MECHANISM, MECHANISM) : List.of(MECHANISM);
    }

    boolean isKnown() {
        return hash.length > 0;
    }

    byte[] hash() {
        return hash.clone();
    }
}
