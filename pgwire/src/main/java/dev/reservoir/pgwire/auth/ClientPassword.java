package dev.reservoir.pgwire.auth;

import dev.reservoir.pgwire.message.ClientMessages;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Gives a password to PostgreSQL in the way that the server requests: in clear text, by MD5, or by SCRAM-SHA-256. Never
 * shows the password. Safe for use by several threads; an {@link Exchange} is not.
 */
public final class ClientPassword {
    private static final int OK = 0;
    private static final int CLEARTEXT = 3;
    private static final int MD5 = 5;
    private static final int SASL = 10;
    private static final int SASL_CONTINUE = 11;
    private static final int SASL_FINAL = 12;

    private final String password;
    private final ScramClient.Keys keys = new ScramClient.Keys();

    public ClientPassword(String password) {
        this.password = password;
    }

    /** The authentication of one connection as this user. */
    public Exchange exchange(String user) {
        return new Exchange(user);
    }

    /** The messages of one authentication, until the server accepts it. */
    public final class Exchange {
        private final String user;
        private final ScramClient scram = new ScramClient(password, keys);
        private boolean done;

        private Exchange(String user) {
            this.user = user;
        }

        /** Whether the server has accepted the password. */
        public boolean isDone() {
            return done;
        }

        /** The answer to a request of the server, or null if the server expects none. */
        public @Nullable ByteBuf answer(ByteBuf request) {
            int kind = request.readInt();
            switch (kind) {
                case OK -> {
                    done = true;
                    return null;
                }
                case CLEARTEXT -> {
                    return ClientMessages.password(password);
                }
                case MD5 -> {
                    byte[] salt = new byte[4];
                    request.readBytes(salt);
                    return ClientMessages.password(
                            "md5" + md5(md5(password + user).getBytes(StandardCharsets.US_ASCII), salt));
                }
                case SASL -> {
                    return ClientMessages.saslInitial(Scram.MECHANISM, scram.first());
                }
                case SASL_CONTINUE -> {
                    return ClientMessages.saslResponse(scram.proof(request.toString(StandardCharsets.UTF_8)));
                }
                case SASL_FINAL -> {
                    scram.verify(request.toString(StandardCharsets.UTF_8));
                    return null;
                }
                default ->
                    throw new IllegalStateException(
                            "PostgreSQL asks for authentication " + kind + "; known: password, md5, scram-sha-256");
            }
        }

        private static String md5(String text) {
            return md5(text.getBytes(StandardCharsets.UTF_8), new byte[0]);
        }

        private static String md5(byte[] first, byte[] second) {
            try {
                MessageDigest digest = MessageDigest.getInstance("MD5");
                digest.update(first);
                digest.update(second);
                return HexFormat.of().formatHex(digest.digest());
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
