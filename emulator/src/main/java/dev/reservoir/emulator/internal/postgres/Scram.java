package dev.reservoir.emulator.internal.postgres;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/** The client's side of one SCRAM-SHA-256 exchange (RFC 5802 and 7677). Never shows the password. */
public final class Scram {
    public static final String MECHANISM = "SCRAM-SHA-256";

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int MOST_ITERATIONS = 1_000_000;

    /** The default of PostgreSQL. */
    private static final int ITERATIONS = 4096;

    private static final int SALT_BYTES = 16;

    private final String password;
    private final Keys keys;
    private final String nonce;
    private byte[] serverSignature = new byte[0];

    /**
     * Caches the salted passwords, which take long to compute. They depend only on the password, its salt and the
     * number of iterations.
     */
    public static final class Keys {
        private final Map<String, byte[]> salted = new ConcurrentHashMap<>();

        private byte[] salted(String password, String salt, int iterations) {
            return salted.computeIfAbsent(salt + "," + iterations, key -> {
                try {
                    var spec = new PBEKeySpec(
                            password.toCharArray(), Base64.getDecoder().decode(salt), iterations, 256);
                    return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
                            .generateSecret(spec)
                            .getEncoded();
                } catch (GeneralSecurityException e) {
                    throw new IllegalStateException(e);
                }
            });
        }
    }

    public Scram(String password, Keys keys) {
        this(password, keys, newNonce());
    }

    Scram(String password, Keys keys, String nonce) {
        this.password = password;
        this.keys = keys;
        this.nonce = nonce;
    }

    /**
     * The form in which PostgreSQL stores a password. A role can be created with it, so that no statement contains the
     * password itself. Takes some milliseconds.
     */
    static String verifier(String password) {
        byte[] salt = new byte[SALT_BYTES];
        RANDOM.nextBytes(salt);
        String saltText = Base64.getEncoder().encodeToString(salt);
        byte[] salted = new Keys().salted(password, saltText, ITERATIONS);
        Base64.Encoder encoder = Base64.getEncoder();
        return MECHANISM + "$" + ITERATIONS + ":" + saltText + "$"
                + encoder.encodeToString(sha256(hmac(salted, bytes("Client Key")))) + ":"
                + encoder.encodeToString(hmac(salted, bytes("Server Key")));
    }

    private static String newNonce() {
        byte[] bytes = new byte[18];
        RANDOM.nextBytes(bytes);
        return Base64.getEncoder().encodeToString(bytes);
    }

    /** The first message: no channel binding, and the user name of the startup message. */
    public String first() {
        return "n,," + bareFirst();
    }

    private String bareFirst() {
        return "n=,r=" + nonce;
    }

    /** The answer to the server's first message, with the client proof of RFC 5802. */
    public String proof(String serverFirst) {
        Map<String, String> said = attributes(serverFirst);
        String fullNonce = said.getOrDefault("r", "");
        String salt = said.getOrDefault("s", "");
        int iterations = Integer.parseInt(said.getOrDefault("i", "0"));
        if (!fullNonce.startsWith(nonce) || iterations < 1 || iterations > MOST_ITERATIONS) {
            throw new IllegalStateException("PostgreSQL's SCRAM message does not fit ours");
        }
        byte[] salted = keys.salted(password, salt, iterations);
        String withoutProof = "c=biws,r=" + fullNonce;
        byte[] signed = (bareFirst() + "," + serverFirst + "," + withoutProof).getBytes(StandardCharsets.UTF_8);
        byte[] clientKey = hmac(salted, bytes("Client Key"));
        byte[] proof = hmac(sha256(clientKey), signed);
        for (int i = 0; i < proof.length; i++) {
            proof[i] ^= clientKey[i];
        }
        serverSignature = hmac(hmac(salted, bytes("Server Key")), signed);
        return withoutProof + ",p=" + Base64.getEncoder().encodeToString(proof);
    }

    /** Checks that the server knows the password too. */
    public void verify(String serverFinal) {
        byte[] said = Base64.getDecoder().decode(attributes(serverFinal).getOrDefault("v", ""));
        if (!MessageDigest.isEqual(said, serverSignature)) {
            throw new IllegalStateException("PostgreSQL's SCRAM signature is wrong");
        }
    }

    private static Map<String, String> attributes(String message) {
        Map<String, String> attributes = new HashMap<>();
        for (String part : message.split(",", -1)) {
            if (part.length() > 2 && part.charAt(1) == '=') {
                attributes.put(part.substring(0, 1), part.substring(2));
            }
        }
        return attributes;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] hmac(byte[] key, byte[] data) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(data);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] sha256(byte[] data) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(data);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
