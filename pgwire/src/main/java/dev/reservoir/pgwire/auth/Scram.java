package dev.reservoir.pgwire.auth;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/** What both sides of SCRAM-SHA-256 (RFC 5802 and 7677) calculate. Never keeps a password. */
public final class Scram {
    /** The name of the mechanism in the protocol. */
    public static final String MECHANISM = "SCRAM-SHA-256";

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int KEY_BITS = 256;
    private static final int NONCE_BYTES = 18;

    private Scram() {}

    /** The salted password. Takes some milliseconds. */
    static byte[] salted(String password, byte[] salt, int iterations) {
        try {
            return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
                    .generateSecret(new PBEKeySpec(password.toCharArray(), salt, iterations, KEY_BITS))
                    .getEncoded();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    static byte[] clientKey(byte[] salted) {
        return hmac(salted, "Client Key");
    }

    static byte[] serverKey(byte[] salted) {
        return hmac(salted, "Server Key");
    }

    static byte[] hmac(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    static byte[] sha256(byte[] data) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(data);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    static byte[] xor(byte[] one, byte[] other) {
        byte[] result = new byte[one.length];
        for (int i = 0; i < result.length; i++) {
            result[i] = (byte) (one[i] ^ other[i]);
        }
        return result;
    }

    static byte[] random(int bytes) {
        byte[] random = new byte[bytes];
        RANDOM.nextBytes(random);
        return random;
    }

    static String newNonce() {
        return base64(random(NONCE_BYTES));
    }

    static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    /** The attributes of a message by their letters. */
    static Map<String, String> attributes(String message) {
        Map<String, String> attributes = new HashMap<>();
        for (String part : message.split(",", -1)) {
            if (part.length() > 2 && part.charAt(1) == '=') {
                attributes.put(part.substring(0, 1), part.substring(2));
            }
        }
        return attributes;
    }
}
