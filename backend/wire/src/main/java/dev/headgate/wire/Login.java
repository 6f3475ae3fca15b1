package dev.headgate.wire;

import dev.headgate.wire.auth.ScramExchange;
import dev.headgate.wire.auth.ScramVerifier;
import dev.headgate.wire.protocol.FrameReader;
import dev.headgate.wire.protocol.FrameWriter;
import dev.headgate.wire.protocol.ProtocolException;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;

/** Lets a client in, by SCRAM-SHA-256 and nothing else (PostgreSQL documentation, "SASL Authentication"). */
final class Login {

    private static final String MECHANISM = "SCRAM-SHA-256";
    private static final int MOST_BYTES = 4096;
    private static final int SASL = 10;
    private static final int SASL_CONTINUE = 11;
    private static final int SASL_FINAL = 12;

    private final SecureRandom random;
    /** Nobody's: who does not exist is asked for a proof as everyone is. */
    private final ScramVerifier nobodys;

    Login(SecureRandom random) {
        this.random = random;
        byte[] password = new byte[32];
        random.nextBytes(password);
        this.nobodys = ScramVerifier.of(HexFormat.of().formatHex(password), random);
    }

    /** Blocks. @throws ProtocolException with 28P01 if the client could not prove it */
    void demand(String user, Optional<ScramVerifier> verifier, FrameReader in, FrameWriter out) throws IOException {
        out.header('R', 4 + FrameWriter.sizeOf(MECHANISM) + 1)
                .int32(SASL)
                .cString(MECHANISM)
                .write(new byte[1], 0, 1);
        out.flush();
        byte[] initial = answer(in);
        if (!FrameReader.cString(initial, 0).equals(MECHANISM)) {
            throw new ProtocolException("28000", "only " + MECHANISM + " is taken, without channel binding");
        }
        int dataAt = FrameReader.after(initial, 0) + 4;
        if (dataAt > initial.length) {
            throw new ProtocolException("the first message of SASL is not whole");
        }
        ScramExchange exchange = new ScramExchange(verifier.orElse(nobodys), random);
        try {
            say(out, SASL_CONTINUE, exchange.first(Arrays.copyOfRange(initial, dataAt, initial.length)));
            out.flush();
            say(out, SASL_FINAL, exchange.last(answer(in)));
        } catch (ScramExchange.Failed failed) {
            throw new ProtocolException("28P01", "password authentication failed for user \"" + user + "\"");
        }
        if (verifier.isEmpty()) {
            throw new ProtocolException("28P01", "password authentication failed for user \"" + user + "\"");
        }
        out.header('R', 4).int32(0);
    }

    private static byte[] answer(FrameReader in) throws IOException {
        if (!in.next()) {
            throw new ProtocolException("28000", "the client left instead of logging in");
        }
        if (in.type() != 'p') {
            throw new ProtocolException("a password was expected, '" + in.type() + "' came");
        }
        return in.body(MOST_BYTES);
    }

    private static void say(FrameWriter out, int what, byte[] data) throws IOException {
        out.header('R', 4 + data.length).int32(what).write(data, 0, data.length);
    }
}
