package dev.headgate.server.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.springframework.stereotype.Component;

/**
 * Encrypts the secrets in the store by AES-256-GCM. The key is in {@code secret.key} of the data folder, outside the store.
 * Each ciphertext is bound to its place, so it does not decrypt in another row.
 */
@Component
public final class Secrets {

    private static final int KEY_BYTES = 32;
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;

    private final SecureRandom random = new SecureRandom();
    private final SecretKeySpec key;

    Secrets(DataFolder folder) {
        byte[] bytes;
        try {
            bytes = Base64.getDecoder().decode(folder.secretFile("secret.key", this::freshKey));
        } catch (IllegalArgumentException e) {
            throw new CannotStart("The file secret.key in " + folder.path() + " is damaged: it is not base64.", e);
        }
        if (bytes.length != KEY_BYTES) {
            throw new CannotStart(
                    "The file secret.key in " + folder.path() + " is damaged: it must hold " + KEY_BYTES
                            + " bytes, base64.",
                    CannotStart.EXIT_FAILED);
        }
        this.key = new SecretKeySpec(bytes, "AES");
    }

    /** @param place the ciphertext's place in the store ("databases/main/password") */
    public byte[] encrypt(String plaintext, String place) {
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        try {
            byte[] ciphertext =
                    cipher(Cipher.ENCRYPT_MODE, nonce, place).doFinal(plaintext.getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.allocate(nonce.length + ciphertext.length)
                    .put(nonce)
                    .put(ciphertext)
                    .array();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has AES-GCM", e);
        }
    }

    /** @throws UndecryptableException if the key or the place differs, or the ciphertext was changed */
    public String decrypt(byte[] sealed, String place) {
        if (sealed.length < NONCE_BYTES + TAG_BITS / 8) {
            throw new UndecryptableException(place);
        }
        byte[] nonce = java.util.Arrays.copyOf(sealed, NONCE_BYTES);
        try {
            byte[] plaintext =
                    cipher(Cipher.DECRYPT_MODE, nonce, place).doFinal(sealed, NONCE_BYTES, sealed.length - NONCE_BYTES);
            return new String(plaintext, StandardCharsets.UTF_8);
        } catch (AEADBadTagException e) {
            throw new UndecryptableException(place);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has AES-GCM", e);
        }
    }

    /** A secret was encrypted with another key or for another place. */
    public static final class UndecryptableException extends RuntimeException {
        private static final long serialVersionUID = 1;

        UndecryptableException(String place) {
            super("The secret at " + place + " cannot be decrypted with the key in secret.key.");
        }
    }

    private Cipher cipher(int mode, byte[] nonce, String place) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD(place.getBytes(StandardCharsets.UTF_8));
        return cipher;
    }

    private String freshKey() {
        byte[] bytes = new byte[KEY_BYTES];
        random.nextBytes(bytes);
        return Base64.getEncoder().encodeToString(bytes);
    }
}
