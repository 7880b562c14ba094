package dev.reservoir.emulator;

import java.util.Map;
import java.util.Optional;

/** How strictly the emulator checks the tokens of new connections. Immutable. Never shows a secret. */
public final class TokenCheck {

    /** The depth of a check. */
    public enum Depth {
        /** The emulator asks for no password. */
        OFF,
        /** The emulator checks the content of the token: action, host, user, dates and scope. */
        SHAPE,
        /** The emulator checks the content and the signature. */
        SIGNATURE
    }

    private static final TokenCheck OFF = new TokenCheck(Depth.OFF, Map.of());
    private static final TokenCheck SHAPE = new TokenCheck(Depth.SHAPE, Map.of());

    private final Depth depth;
    private final Map<String, String> secrets;

    private TokenCheck(Depth depth, Map<String, String> secrets) {
        this.depth = depth;
        this.secrets = secrets;
    }

    /** No check; the emulator asks for no password. */
    public static TokenCheck off() {
        return OFF;
    }

    /** Checks action, host, user, date, expiry and scope. Does not check the signature. */
    public static TokenCheck shape() {
        return SHAPE;
    }

    /**
     * Like {@link #shape()}, and checks the signature too. Refuses access keys that are not in the map.
     *
     * @param secrets the secret of each access key id
     */
    public static TokenCheck signature(Map<String, String> secrets) {
        return new TokenCheck(Depth.SIGNATURE, Map.copyOf(secrets));
    }

    /** The depth of this check. */
    public Depth depth() {
        return depth;
    }

    /** The secret of an access key id, if it is known. */
    public Optional<String> secret(String accessKeyId) {
        return Optional.ofNullable(secrets.get(accessKeyId));
    }

    @Override
    public String toString() {
        return "TokenCheck[" + depth + "]";
    }
}
