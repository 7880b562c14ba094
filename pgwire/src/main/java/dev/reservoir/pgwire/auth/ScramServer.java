package dev.reservoir.pgwire.auth;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.security.MessageDigest;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The server's side of one SCRAM-SHA-256 exchange, without channel binding. Throws {@link IllegalArgumentException} if
 * a message is malformed.
 */
public final class ScramServer {
    private final ScramSecret secret;
    private final String serverNonce = Scram.newNonce();
    private String header = "";
    private String bareFirst = "";
    private String serverFirst = "";

    public ScramServer(ScramSecret secret) {
        this.secret = secret;
    }

    /** The answer to the client's first message. */
    public String first(String clientFirst) {
        // The header is n or y (no channel binding), an empty authorization identity, and two commas.
        if (!clientFirst.startsWith("n,,") && !clientFirst.startsWith("y,,")) {
            throw new IllegalArgumentException("a SCRAM message with channel binding or an authorization identity");
        }
        header = clientFirst.substring(0, 3);
        bareFirst = clientFirst.substring(3);
        String clientNonce = Scram.attributes(bareFirst).getOrDefault("r", "");
        if (clientNonce.isEmpty()) {
            throw new IllegalArgumentException("a SCRAM message without a nonce");
        }
        serverFirst = "r=" + clientNonce + serverNonce + "," + secret.attributes();
        return serverFirst;
    }

    /** The answer to the client's last message, or null if the password is wrong. */
    public @Nullable String last(String clientLast) {
        int proofAt = clientLast.lastIndexOf(",p=");
        if (serverFirst.isEmpty() || proofAt < 0) {
            throw new IllegalArgumentException("a SCRAM message without a proof");
        }
        String withoutProof = clientLast.substring(0, proofAt);
        Map<String, String> attributes = Scram.attributes(withoutProof);
        String nonce = Scram.attributes(serverFirst).getOrDefault("r", "");
        String binding = new String(Base64.getDecoder().decode(attributes.getOrDefault("c", "")), US_ASCII);
        if (!attributes.getOrDefault("r", "").equals(nonce) || !binding.equals(header)) {
            throw new IllegalArgumentException("a SCRAM message that does not fit the first one");
        }
        byte[] proof = Base64.getDecoder().decode(clientLast.substring(proofAt + ",p=".length()));
        String signed = bareFirst + "," + serverFirst + "," + withoutProof;
        byte[] signature = Scram.hmac(secret.storedKey(), signed);
        boolean isRight = proof.length == signature.length
                && MessageDigest.isEqual(Scram.sha256(Scram.xor(proof, signature)), secret.storedKey());
        return isRight ? "v=" + Scram.base64(Scram.hmac(secret.serverKey(), signed)) : null;
    }
}
