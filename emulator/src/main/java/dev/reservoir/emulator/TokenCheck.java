package dev.reservoir.emulator;

import java.util.Map;
import java.util.Optional;

/** How closely the emulator looks at the tokens of new connections. Immutable; never shows a secret. */
public final class TokenCheck {

    /** How far a check goes. */
    public enum Depth {
        /** No password is asked for. */
        OFF,
        /** What the token says: action, host, user, dates and scope. */
        SHAPE,
        /** What it says, and that its signature is right. */
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

    /** No check, and no password is asked for. */
    public static TokenCheck off() {
        return OFF;
    }

    /** Action, host, user, date, expiry and scope must be right; the signature is not looked at. */
    public static TokenCheck shape() {
        return SHAPE;
    }

    /**
     * As {@link #shape()}, and the signature must be right, too. Other access keys than these are refused.
     *
     * @param secrets the secret of each access key id
     */
    public static TokenCheck signature(Map<String, String> secrets) {
        return new TokenCheck(Depth.SIGNATURE, Map.copyOf(secrets));
    }

    /** How far this check goes. */
    public Depth depth() {
        return depth;
    }

    /** The secret of an access key id, where it is known. */
    public Optional<String> secret(String accessKeyId) {
        return Optional.ofNullable(secrets.get(accessKeyId));
    }

    @Override
    public String toString() {
        return "TokenCheck[" + depth + "]";
    }
}
