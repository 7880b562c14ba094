package dev.reservoir.pgwire.auth;

import java.util.Map;

/** The users who may log in to a server. Never shows which users exist. Immutable. */
public final class ScramUsers {
    private final Map<String, ScramSecret> secrets;

    /** Only this server knows it, so nobody else can tell the salt of an unknown user from a real one. */
    private final byte[] serverKey = Scram.random(ScramSecret.KEY_BYTES);

    public ScramUsers(Map<String, ScramSecret> secrets) {
        this.secrets = Map.copyOf(secrets);
    }

    public boolean isEmpty() {
        return secrets.isEmpty();
    }

    /** A new exchange with a user. No password fits an unknown one, and the work is the same for all users. */
    public ScramServer exchange(String user) {
        return new ScramServer(secrets.getOrDefault(user, ScramSecret.ofNobody(serverKey, user)));
    }
}
