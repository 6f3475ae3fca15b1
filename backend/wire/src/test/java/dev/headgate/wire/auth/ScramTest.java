package dev.headgate.wire.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.SecureRandom;
import java.util.Base64;
import org.junit.jupiter.api.Test;

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
        ScramExchange exchange = new ScramExchange(ScramVerifier.of("x", new SecureRandom()), new SecureRandom());
        for (String bad : new String[] {"", "p=tls-unique,,n=,r=abc", "n,,m=x,r=abc", "n,,n=", "n"}) {
            assertThatThrownBy(() -> exchange.first(bad.getBytes(java.nio.charset.StandardCharsets.UTF_8)))
                    .isInstanceOf(ScramExchange.Failed.class);
        }
    }
}
