package dev.reservoir.pgwire.auth;

import java.security.MessageDigest;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The client's side of one SCRAM-SHA-256 exchange. Never shows the password. */
final class ScramClient {
    private static final int MOST_ITERATIONS = 1_000_000;

    private final String password;
    private final Keys keys;
    private final String nonce = Scram.newNonce();
    private byte[] serverSignature = new byte[0];

    /**
     * Caches the salted passwords, which take long to compute. They depend only on the password, its salt and the
     * number of iterations.
     */
    static final class Keys {
        private final Map<String, byte[]> salted = new ConcurrentHashMap<>();

        private byte[] salted(String password, String salt, int iterations) {
            return salted.computeIfAbsent(
                    salt + "," + iterations,
                    key -> Scram.salted(password, Base64.getDecoder().decode(salt), iterations));
        }
    }

    ScramClient(String password, Keys keys) {
        this.password = password;
        this.keys = keys;
    }

    /** The first message: no channel binding, and the user name of the startup message. */
    String first() {
        return "n,," + bareFirst();
    }

    private String bareFirst() {
        return "n=,r=" + nonce;
    }

    /** The answer to the server's first message, with the client proof of RFC 5802. */
    String proof(String serverFirst) {
        Map<String, String> attributes = Scram.attributes(serverFirst);
        String fullNonce = attributes.getOrDefault("r", "");
        String salt = attributes.getOrDefault("s", "");
        int iterations = Integer.parseInt(attributes.getOrDefault("i", "0"));
        if (!fullNonce.startsWith(nonce) || iterations < 1 || iterations > MOST_ITERATIONS) {
            throw new IllegalStateException("PostgreSQL's SCRAM message does not fit ours");
        }
        byte[] salted = keys.salted(password, salt, iterations);
        String withoutProof = "c=biws,r=" + fullNonce;
        String signed = bareFirst() + "," + serverFirst + "," + withoutProof;
        byte[] clientKey = Scram.clientKey(salted);
        byte[] proof = Scram.xor(clientKey, Scram.hmac(Scram.sha256(clientKey), signed));
        serverSignature = Scram.hmac(Scram.serverKey(salted), signed);
        return withoutProof + ",p=" + Scram.base64(proof);
    }

    /** Checks that the server knows the password too. */
    void verify(String serverFinal) {
        byte[] signature =
                Base64.getDecoder().decode(Scram.attributes(serverFinal).getOrDefault("v", ""));
        if (!MessageDigest.isEqual(signature, serverSignature)) {
            throw new IllegalStateException("PostgreSQL's SCRAM signature is wrong");
        }
    }
}
