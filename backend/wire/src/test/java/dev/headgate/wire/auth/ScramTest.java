package dev.headgate.wire.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.wire.TestTls;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.Base64;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScramTest {

    @Test
    void aVerifierSurvivesBeingKeptAndTellsNothing() {
        ScramVerifier verifier = ScramVerifier.of("geheim", new SecureRandom());
        assertThat(ScramVerifier.parse(verifier.text()))
                .isEqualTo(verifier)
                .hasSameHashCodeAs(verifier)
                .isNotEqualTo(ScramVerifier.of("geheim", new SecureRandom()));
        assertThat(ScramVerifier.parse(verifier.text()).text()).isEqualTo(verifier.text());
        assertThat(verifier.text()).startsWith("SCRAM-SHA-256$4096:").doesNotContain("geheim");
        assertThat(verifier).hasToString("ScramVerifier");
        assertThatThrownBy(() -> ScramVerifier.parse("md5abc"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("abc");
    }

    @Test
    void whatCannotBeAPasswordIsAWrongOne() {
        ScramVerifier verifier = ScramVerifier.of("geheim", new SecureRandom());
        assertThat(verifier.matches("geheim")).isTrue();
        assertThat(verifier.matches("")).isFalse();
        assertThat(verifier.matches("\u00ad"))
                .as("SASLprep leaves nothing of it")
                .isFalse();
    }

    /** The example of RFC 7677, section 3. */
    @Test
    void checksTheProofOfTheRfcsExample() {
        ScramVerifier verifier =
                ScramVerifier.of("pencil", Base64.getDecoder().decode("W22ZaJ0SNY7soEsUEjb6gQ=="), 4096);
        String authMessage = "n=user,r=rOprNGfwEbeRWgbNEkqO,"
                + "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,"
                + "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
        byte[] proof = Base64.getDecoder().decode("dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=");
        assertThat(verifier.accepts(proof, authMessage)).isTrue();
        assertThat(Base64.getEncoder().encodeToString(verifier.serverSignature(authMessage)))
                .isEqualTo("6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
        proof[3] ^= 1;
        assertThat(verifier.accepts(proof, authMessage)).isFalse();
    }

    @Test
    void refusesWhatIsNoExchange() {
        ScramExchange exchange = exchange(ServerEndPoint.NONE, "SCRAM-SHA-256");
        for (String bad : new String[] {"", "p=tls-unique,,n=,r=abc", "n,,m=x,r=abc", "n,,n=", "n"}) {
            assertThatThrownBy(() -> exchange.first(bad.getBytes(StandardCharsets.UTF_8)))
                    .isInstanceOf(ScramExchange.Failed.class);
        }
    }

    /** RFC 5802, section 6. */
    @Test
    void theFirstMessageMustFitWhatWasOffered() throws Exception {
        ServerEndPoint known = ServerEndPoint.of(TestTls.make().certificate());
        assertThat(ServerEndPoint.NONE.mechanisms()).containsExactly("SCRAM-SHA-256");
        assertThat(known.mechanisms()).containsExactly("SCRAM-SHA-256-PLUS", "SCRAM-SHA-256");
        assertThat(begins(ServerEndPoint.NONE, "SCRAM-SHA-256", "n")).isTrue();
        assertThat(begins(ServerEndPoint.NONE, "SCRAM-SHA-256", "y")).isTrue();
        assertThat(begins(ServerEndPoint.NONE, "SCRAM-SHA-256", "p=tls-server-end-point"))
                .isFalse();
        assertThat(begins(known, "SCRAM-SHA-256", "n")).isTrue();
        assertThat(begins(known, "SCRAM-SHA-256", "p=tls-server-end-point")).isFalse();
        assertThatThrownBy(() -> exchange(known, "SCRAM-SHA-256").first(first("y")))
                .isInstanceOf(ScramExchange.NotBound.class);
        assertThat(begins(known, "SCRAM-SHA-256-PLUS", "p=tls-server-end-point"))
                .isTrue();
        for (String other : new String[] {"n", "y", "p=tls-unique", "p=tls-server-end-point2", "p=", "p"}) {
            assertThat(begins(known, "SCRAM-SHA-256-PLUS", other)).as(other).isFalse();
        }
    }

    private static boolean begins(ServerEndPoint endPoint, String mechanism, String flag) {
        try {
            exchange(endPoint, mechanism).first(first(flag));
            return true;
        } catch (ScramExchange.Failed refused) {
            return false;
        }
    }

    private static byte[] first(String flag) {
        return (flag + ",,n=,r=abc").getBytes(StandardCharsets.UTF_8);
    }

    private static ScramExchange exchange(ServerEndPoint endPoint, String mechanism) {
        SecureRandom random = new SecureRandom();
        return new ScramExchange(ScramVerifier.of("x", random), random, endPoint, mechanism);
    }

    @ParameterizedTest
    @CsvSource({
        "EC, SHA256withECDSA, SHA-256",
        "EC, SHA384withECDSA, SHA-384",
        "RSA, SHA512withRSA, SHA-512",
        "RSA, SHA1withRSA, SHA-256",
        "RSA, MD5withRSA, SHA-256",
        "RSA, RSASSA-PSS,",
        "Ed25519, Ed25519,"
    })
    void aCertificateIsHashedAsItsSignatureIs(String key, String signature, @Nullable String hash) throws Exception {
        X509Certificate certificate = TestTls.make(key, signature).certificate();
        assertThat(certificate.getSigAlgName()).isEqualTo(signature);
        byte[] expected =
                hash == null ? new byte[0] : MessageDigest.getInstance(hash).digest(certificate.getEncoded());
        assertThat(ServerEndPoint.of(certificate).hash()).isEqualTo(expected);
        assertThat(ServerEndPoint.of(certificate).mechanisms()).hasSize(hash == null ? 1 : 2);
    }
}
