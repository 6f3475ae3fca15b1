package dev.headgate.server.wire;

import dev.headgate.wire.TlsEngines;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.ReferenceCountUtil;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Set;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;

/** BoringSSL as the engine for TLS 1.2 and 1.3, through Netty's binding. No other part of Netty is used. */
final class BoringSsl {

    /** BoringSSL does not run on this machine, or does not support the key. */
    static final class UnavailableException extends Exception {
        private static final long serialVersionUID = 1;

        private UnavailableException(@Nullable String why) {
            super(why);
        }
    }

    private static final String[] VERSIONS = {"TLSv1.3", "TLSv1.2"};

    /** The key types that it signs with by default. */
    private static final Set<String> KEYS = Set.of("EC", "RSA");

    private BoringSsl() {}

    /** Engines with a bundle's key. The first call extracts a native library to {@code java.io.tmpdir}, and loads it. */
    static TlsEngines engines(SslBundle bundle) throws UnavailableException {
        if (!OpenSsl.isAvailable()) {
            throw new UnavailableException(rootMessage(OpenSsl.unavailabilityCause()));
        }
        try {
            return engines(context(bundle));
        } catch (GeneralSecurityException | SSLException | RuntimeException e) {
            throw new UnavailableException(rootMessage(e));
        }
    }

    private static SslContext context(SslBundle bundle)
            throws GeneralSecurityException, SSLException, UnavailableException {
        KeyStore keys = bundle.getStores().getKeyStore();
        if (keys == null || !keys.aliases().hasMoreElements()) {
            throw new UnavailableException("there is no key");
        }
        String alias = keys.aliases().nextElement();
        String password = bundle.getStores().getKeyStorePassword();
        PrivateKey key = (PrivateKey) keys.getKey(alias, password == null ? null : password.toCharArray());
        if (!KEYS.contains(key.getAlgorithm())) {
            throw new UnavailableException("the key is of type " + key.getAlgorithm());
        }
        X509Certificate[] chain = Arrays.stream(keys.getCertificateChain(alias))
                .map(X509Certificate.class::cast)
                .toArray(X509Certificate[]::new);
        return SslContextBuilder.forServer(key, chain)
                .sslProvider(SslProvider.OPENSSL)
                .protocols(VERSIONS)
                .applicationProtocolConfig(new ApplicationProtocolConfig(
                        Protocol.ALPN,
                        SelectorFailureBehavior.NO_ADVERTISE, // Netty has no alert for BoringSSL
                        SelectedListenerFailureBehavior.ACCEPT,
                        TlsEngines.PROTOCOL))
                .build();
    }

    private static TlsEngines engines(SslContext context) {
        return new TlsEngines() {
            @Override
            public SSLEngine create() {
                return context.newEngine(UnpooledByteBufAllocator.DEFAULT);
            }

            @Override
            public void release(SSLEngine engine) {
                ReferenceCountUtil.release(engine);
            }
        };
    }

    private static String rootMessage(Throwable e) {
        Throwable root = e;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root.getClass().getSimpleName() + ": " + root.getMessage();
    }
}
