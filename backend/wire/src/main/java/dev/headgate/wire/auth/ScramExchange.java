package dev.headgate.wire.auth;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;

/**
 * The server's side of one SCRAM-SHA-256 exchange (RFC 5802, section 3), with or without channel binding: two messages arrive, two
 * answers are sent. The user name in the messages is ignored, as in PostgreSQL; the one in the startup message counts.
 *
 * <p>The client's first message begins with what it thinks of channel binding: {@code n} it has none, {@code y} it has and thinks that the
 * server has none, {@code p} it binds. It repeats this in the last one, under the proof, with what it binds to.
 *
 * <p>An unknown user goes through the same exchange, with a verifier that no password matches. So the answer does not reveal
 * whether the user exists.
 */
public final class ScramExchange {

    private static final int NONCE_BYTES = 18;

    private static final String BINDS = "p=tls-server-end-point";

    private final ScramVerifier verifier;
    private final SecureRandom random;
    private final ServerEndPoint endPoint;
    private final boolean binds;
    private String clientFirstBare = "";
    private String gs2Header = "";
    private String serverFirst = "";
    private String nonce = "";

    /** The exchange failed. The message is for the log; the client learns only that it failed. */
    public static class Failed extends Exception {
        private static final long serialVersionUID = 1;

        Failed(String message) {
            super(message);
        }
    }

    /** Client and server do not have the same connection: somebody may stand between them. The message is for the client, too. */
    public static final class NotBound extends Failed {
        private static final long serialVersionUID = 1;

        NotBound(String message) {
            super(message);
        }
    }

    /**
     * @param endPoint of this connection
     * @param mechanism one of those that it offers
     */
    public ScramExchange(ScramVerifier verifier, SecureRandom random, ServerEndPoint endPoint, String mechanism) {
        this.verifier = verifier;
        this.random = random;
        this.endPoint = endPoint;
        this.binds = mechanism.equals(ServerEndPoint.BINDING_MECHANISM);
    }

    /** Handles the client's first message, such as {@code n,,n=user,r=nonce}. Returns the server's first. */
    public byte[] first(byte[] message) throws Failed {
        String text = new String(message, StandardCharsets.UTF_8);
        String[] parts = text.split(",", 3);
        if (parts.length < 3) {
            throw new Failed("no client-first-message");
        }
        checkBinding(parts[0]);
        gs2Header = parts[0] + "," + parts[1] + ",";
        clientFirstBare = parts[2];
        String clientNonce = attributes(clientFirstBare).get('r');
        if (clientNonce == null || clientNonce.isEmpty() || clientFirstBare.startsWith("m=")) {
            throw new Failed("no nonce in the client-first-message, or a mandatory extension");
        }
        byte[] own = new byte[NONCE_BYTES];
        random.nextBytes(own);
        nonce = clientNonce + Base64.getEncoder().encodeToString(own);
        serverFirst = "r=%s,s=%s,i=%d"
                .formatted(nonce, Base64.getEncoder().encodeToString(verifier.salt()), verifier.iterations());
        return serverFirst.getBytes(StandardCharsets.UTF_8);
    }

    private void checkBinding(String flag) throws Failed {
        if (!binds && flag.equals("y") && endPoint.isKnown()) {
            throw new NotBound("the client has not seen that " + ServerEndPoint.BINDING_MECHANISM
                    + " is offered: somebody between it and the server may have hidden it");
        }
        boolean fits = binds ? flag.equals(BINDS) : flag.equals("n") || flag.equals("y");
        if (!fits) {
            throw new Failed("the channel binding does not fit the mechanism");
        }
    }

    /** Handles the client's final message, {@code c=...,r=...,p=proof}. The answer proves that the server knows the verifier. */
    public byte[] last(byte[] message) throws Failed {
        String text = new String(message, StandardCharsets.UTF_8);
        int proofAt = text.lastIndexOf(",p=");
        if (proofAt < 0) {
            throw new Failed("no proof in the client-final-message");
        }
        String withoutProof = text.substring(0, proofAt);
        Map<Character, String> attributes = attributes(withoutProof);
        if (!nonce.equals(attributes.get('r'))) {
            throw new Failed("the client-final-message does not belong to this exchange");
        }
        if (!bound().equals(attributes.get('c'))) {
            throw binds
                    ? new NotBound(
                            "the channel binding is not that of the server's certificate: somebody may stand between"
                                    + " the client and the server")
                    : new Failed("the client-final-message does not repeat the first one's channel binding");
        }
        String authMessage = clientFirstBare + "," + serverFirst + "," + withoutProof;
        byte[] proof;
        try {
            proof = Base64.getDecoder().decode(text.substring(proofAt + 3));
        } catch (IllegalArgumentException e) {
            throw new Failed("the proof is not in Base64");
        }
        if (!verifier.accepts(proof, authMessage)) {
            throw new Failed("wrong password");
        }
        return ("v=" + Base64.getEncoder().encodeToString(verifier.serverSignature(authMessage)))
                .getBytes(StandardCharsets.UTF_8);
    }

    private String bound() {
        byte[] header = gs2Header.getBytes(StandardCharsets.UTF_8);
        byte[] hash = binds ? endPoint.hash() : new byte[0];
        byte[] all = Arrays.copyOf(header, header.length + hash.length);
        System.arraycopy(hash, 0, all, header.length, hash.length);
        return Base64.getEncoder().encodeToString(all);
    }

    private static Map<Character, String> attributes(String message) {
        Map<Character, String> found = new HashMap<>();
        for (String part : message.split(",")) {
            if (part.length() >= 2 && part.charAt(1) == '=') {
                found.putIfAbsent(part.charAt(0), part.substring(2));
            }
        }
        return found;
    }
}
