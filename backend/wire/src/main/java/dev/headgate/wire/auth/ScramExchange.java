package dev.headgate.wire.auth;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;

/**
 * The server's side of one SCRAM-SHA-256 exchange (RFC 5802, section 3), without channel binding: two messages arrive, two
 * answers are sent. The user name in the messages is ignored, as in PostgreSQL; the one in the startup message counts.
 *
 * <p>An unknown user goes through the same exchange, with a verifier that no password matches. So the answer does not reveal
 * whether the user exists.
 */
public final class ScramExchange {

    private static final int NONCE_BYTES = 18;

    private final ScramVerifier verifier;
    private final SecureRandom random;
    private String clientFirstBare = "";
    private String gs2Header = "";
    private String serverFirst = "";
    private String nonce = "";

    /** The exchange failed. The message is for the log; the client learns only that it failed. */
    public static final class Failed extends Exception {
        private static final long serialVersionUID = 1;

        Failed(String message) {
            super(message);
        }
    }

    public ScramExchange(ScramVerifier verifier, SecureRandom random) {
        this.verifier = verifier;
        this.random = random;
    }

    /** Handles the client's first message, {@code n,,n=user,r=nonce}. Returns the server's first. */
    public byte[] first(byte[] message) throws Failed {
        String text = new String(message, StandardCharsets.UTF_8);
        String[] parts = text.split(",", 3);
        if (parts.length < 3 || !(parts[0].equals("n") || parts[0].equals("y"))) {
            throw new Failed("channel binding was asked for, or this is no client-first-message");
        }
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

    /** Handles the client's final message, {@code c=...,r=...,p=proof}. The answer proves that the server knows the verifier. */
    public byte[] last(byte[] message) throws Failed {
        String text = new String(message, StandardCharsets.UTF_8);
        int proofAt = text.lastIndexOf(",p=");
        if (proofAt < 0) {
            throw new Failed("no proof in the client-final-message");
        }
        String withoutProof = text.substring(0, proofAt);
        Map<Character, String> attributes = attributes(withoutProof);
        if (!nonce.equals(attributes.get('r')) || !bound().equals(attributes.get('c'))) {
            throw new Failed("the client-final-message does not belong to this exchange");
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
        return Base64.getEncoder().encodeToString(gs2Header.getBytes(StandardCharsets.UTF_8));
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
