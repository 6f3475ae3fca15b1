package dev.headgate.wire;

import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import dev.headgate.protocol.ProtocolException;
import dev.headgate.wire.auth.ScramExchange;
import dev.headgate.wire.auth.ScramVerifier;
import dev.headgate.wire.auth.ServerEndPoint;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates one client, by SCRAM-SHA-256 with or without channel binding (PostgreSQL documentation, "SASL Authentication"), or by the
 * password itself. Handles its messages one by one and does no I/O.
 */
final class Login {

    private static final int MOST_BYTES = 4096;
    private static final int CLEARTEXT = 3;
    private static final int SASL = 10;
    private static final int SASL_CONTINUE = 11;
    private static final int SASL_FINAL = 12;

    /** The verifier of a password that nobody knows. An unknown user is asked for a proof like any other. */
    static ScramVerifier nobodys(SecureRandom random) {
        byte[] password = new byte[32];
        random.nextBytes(password);
        return ScramVerifier.of(HexFormat.of().formatHex(password), random);
    }

    private final String user;
    private final boolean exists;
    private final ScramVerifier verifier;
    private final SecureRandom random;
    private final ServerEndPoint endPoint;
    private final boolean byPassword;
    private final Runnable onWrong;
    private @Nullable ScramExchange exchange;
    private @Nullable String password;

    /**
     * @param endPoint of the client's connection
     * @param byPassword whether the client sends its password itself: only where nobody else can read it
     * @param onWrong called when the client could not prove its password
     */
    Login(
            String user,
            Optional<ScramVerifier> verifier,
            ScramVerifier nobodys,
            SecureRandom random,
            ServerEndPoint endPoint,
            boolean byPassword,
            Runnable onWrong) {
        this.byPassword = byPassword;
        this.onWrong = onWrong;
        this.user = user;
        this.exists = verifier.isPresent();
        this.verifier = verifier.orElse(nobodys);
        this.random = random;
        this.endPoint = endPoint;
    }

    /** Asks for the first message. */
    void demand(FrameWriter out) {
        if (byPassword) {
            out.header('R', 4).int32(CLEARTEXT);
            return;
        }
        List<String> mechanisms = endPoint.mechanisms();
        int names = mechanisms.stream().mapToInt(FrameWriter::sizeOf).sum();
        out.header('R', 4 + names + 1).int32(SASL);
        mechanisms.forEach(out::cString);
        out.put(0);
    }

    /**
     * Handles the open message if it is complete.
     *
     * @return whether it authenticates the client
     * @throws ProtocolException with 28P01 if the client could not prove its password
     */
    boolean take(FrameReader in, FrameWriter out) throws ProtocolException {
        if (in.type() != 'p') {
            throw new ProtocolException("a password was expected, '" + in.type() + "' came");
        }
        if (in.length() > MOST_BYTES) {
            throw new ProtocolException("54000", "a password message may have " + MOST_BYTES + " bytes");
        }
        if (!in.has(in.length())) {
            return false;
        }
        byte[] message = in.peek(MOST_BYTES);
        in.close();
        if (byPassword) {
            password = FrameReader.cString(message, 0);
            return false;
        }
        try {
            ScramExchange present = exchange;
            if (present == null) {
                begin(message, out);
                return false;
            }
            say(out, SASL_FINAL, present.last(message));
        } catch (ScramExchange.NotBound unsafe) {
            onWrong.run();
            throw new ProtocolException("28000", unsafe.getMessage());
        } catch (ScramExchange.Failed failed) {
            throw wrong();
        }
        if (!exists) {
            throw wrong();
        }
        accept(out);
        return true;
    }

    /** The password that the client has sent, which {@link #isRight} must check; null if it has sent none. */
    @Nullable
    String takePassword() {
        String sent = password;
        password = null;
        return sent;
    }

    /** Whether the client has such a password. Takes some milliseconds of the processor: not for a loop's thread. */
    boolean isRight(String sent) {
        return verifier.matches(sent) && exists;
    }

    /** The client has shown its password. */
    static void accept(FrameWriter out) {
        out.header('R', 4).int32(0);
    }

    private void begin(byte[] message, FrameWriter out) throws ProtocolException, ScramExchange.Failed {
        int lengthAt = FrameReader.after(message, 0, message.length);
        String mechanism = new String(message, 0, lengthAt - 1, StandardCharsets.UTF_8);
        if (!endPoint.mechanisms().contains(mechanism)) {
            throw new ProtocolException("28000", "only " + String.join(" and ", endPoint.mechanisms()) + " is taken");
        }
        if (lengthAt + 4 > message.length) {
            throw new ProtocolException("the first message of SASL is not whole");
        }
        ScramExchange fresh = new ScramExchange(verifier, random, endPoint, mechanism);
        say(out, SASL_CONTINUE, fresh.first(Arrays.copyOfRange(message, lengthAt + 4, message.length)));
        exchange = fresh;
    }

    /** The client could not prove its password. @return the refusal */
    ProtocolException wrong() {
        onWrong.run();
        return new ProtocolException("28P01", "password authentication failed for user \"" + user + "\"");
    }

    private static void say(FrameWriter out, int what, byte[] data) {
        out.header('R', 4 + data.length).int32(what).write(data);
    }
}
