package dev.reservoir.pgwire.auth;

import java.util.Arrays;

/**
 * What a server stores to verify a password. The password cannot be calculated from it. Immutable.
 *
 * <p>{@link #create} takes some milliseconds.
 */
public final class ScramSecret {
    /** The default of PostgreSQL. */
    private static final int ITERATIONS = 4096;

    private static final int SALT_BYTES = 16;
    static final int KEY_BYTES = 32;

    private final String salt;
    private final byte[] storedKey;
    private final byte[] serverKey;

    private ScramSecret(byte[] salt, byte[] storedKey, byte[] serverKey) {
        this.salt = Scram.base64(salt);
        this.storedKey = storedKey;
        this.serverKey = serverKey;
    }

    /** The secret of a password, with a new salt. */
    public static ScramSecret create(String password) {
        byte[] salt = Scram.random(SALT_BYTES);
        byte[] salted = Scram.salted(password, salt, ITERATIONS);
        return new ScramSecret(salt, Scram.sha256(Scram.clientKey(salted)), Scram.serverKey(salted));
    }

    /**
     * A secret that no password fits, for a user who does not exist. The salt depends on the user alone, as that of a
     * real user does, so that several exchanges do not show that the user is unknown.
     */
    static ScramSecret ofNobody(byte[] serverKey, String user) {
        byte[] salt = Arrays.copyOf(Scram.hmac(serverKey, "salt " + user), SALT_BYTES);
        return new ScramSecret(salt, Scram.hmac(serverKey, "stored " + user), Scram.hmac(serverKey, "server " + user));
    }

    /**
     * The form in which PostgreSQL stores a password. A role can be created with it, so that no statement contains the
     * password itself.
     */
    public String stored() {
        return Scram.MECHANISM + "$" + ITERATIONS + ":" + salt + "$" + Scram.base64(storedKey) + ":"
                + Scram.base64(serverKey);
    }

    /** The salt and the number of iterations, as attributes of a message. */
    String attributes() {
        return "s=" + salt + ",i=" + ITERATIONS;
    }

    byte[] storedKey() {
        return storedKey;
    }

    byte[] serverKey() {
        return serverKey;
    }

    @Override
    public String toString() {
        return "ScramSecret";
    }
}
