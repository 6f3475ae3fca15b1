package dev.headgate.wire;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.ReferenceCounted;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;

/** A certificate for localhost that is trusted here, and engines with it. */
public final class TestTls {

    /** The engines that the wire port is tested with. */
    enum Kind {
        JDK,
        BORINGSSL
    }

    private static final String ALIAS = "own";
    private static final String PASSWORD = "changeit";

    private final KeyStore keys;

    private TestTls(KeyStore keys) {
        this.keys = keys;
    }

    /** Makes a certificate; takes about a second. */
    public static TestTls make() throws Exception {
        return make("EC", "SHA256withECDSA");
    }

    /** Makes a certificate with a key and a signature by these algorithms. */
    public static TestTls make(String key, String signature) throws Exception {
        Path folder = Files.createTempDirectory("tls");
        Path file = folder.resolve("keys.p12");
        String tool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        int code = new ProcessBuilder((tool + " -genkeypair -alias " + ALIAS + " -keyalg " + key + " -sigalg "
                                + signature + " -dname CN=localhost -storepass " + PASSWORD + " -keystore " + file)
                        .split(" ", -1))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
        if (code != 0) {
            throw new IOException("keytool ended with " + code);
        }
        KeyStore keys = KeyStore.getInstance(file.toFile(), PASSWORD.toCharArray());
        Files.delete(file);
        Files.delete(folder);
        return new TestTls(keys);
    }

    public X509Certificate certificate() throws GeneralSecurityException {
        return (X509Certificate) keys.getCertificate(ALIAS);
    }

    /** Has the key, and trusts its certificate. */
    public SSLContext context() throws GeneralSecurityException {
        KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(keys, PASSWORD.toCharArray());
        TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        KeyStore known = KeyStore.getInstance("PKCS12");
        try {
            known.load(null, null);
        } catch (IOException e) {
            throw new GeneralSecurityException(e);
        }
        known.setCertificateEntry(ALIAS, keys.getCertificate(ALIAS));
        trusted.init(known);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own.getKeyManagers(), trusted.getTrustManagers(), null);
        return context;
    }

    Counted engines(Kind kind) throws Exception {
        return new Counted(kind == Kind.JDK ? TlsEngines.of(context()) : boringSsl());
    }

    private TlsEngines boringSsl() throws Exception {
        SslContext context = SslContextBuilder.forServer(
                        (PrivateKey) keys.getKey(ALIAS, PASSWORD.toCharArray()), certificate())
                .sslProvider(SslProvider.OPENSSL)
                .protocols("TLSv1.3", "TLSv1.2")
                .applicationProtocolConfig(new ApplicationProtocolConfig(
                        Protocol.ALPN,
                        SelectorFailureBehavior.NO_ADVERTISE, // Netty has no alert for BoringSSL
                        SelectedListenerFailureBehavior.ACCEPT,
                        TlsEngines.PROTOCOL))
                .build();
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

    /** Counts what is made and released. */
    static final class Counted implements TlsEngines {
        private final TlsEngines engines;
        final Queue<SSLEngine> created = new ConcurrentLinkedQueue<>();
        final AtomicInteger released = new AtomicInteger();

        Counted(TlsEngines engines) {
            this.engines = engines;
        }

        @Override
        public SSLEngine create() {
            SSLEngine engine = engines.create();
            created.add(engine);
            return engine;
        }

        @Override
        public void release(SSLEngine engine) {
            engines.release(engine);
            released.incrementAndGet();
        }

        void forget() {
            created.clear();
            released.set(0);
        }

        /** Whether each was released, and holds nothing outside of the heap. */
        boolean areGone() {
            return released.get() == created.size()
                    && created.stream()
                            .allMatch(each -> !(each instanceof ReferenceCounted held) || held.refCnt() == 0);
        }
    }
}
