package dev.reservoir.dsql.error;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A fenced update that changed nothing, because the fencing token is not the expected one any more, or the row is gone: somebody
 * else owns the entity now. Never retried, since the same token would fail again; whoever gets it stops acting as the owner.
 */
public final class ConditionFailedException extends SQLException {
    private static final long serialVersionUID = 1L;

    private final String entity;
    private final String expectedToken;

    /**
     * Says what was not found as it was expected.
     *
     * @param entity what was to be changed, such as {@code shard 7}
     * @param expectedToken the token that it should have had
     */
    public ConditionFailedException(String entity, @Nullable Object expectedToken) {
        this(
                entity,
                String.valueOf(expectedToken),
                "fencing token is not " + expectedToken + " any more, so somebody else owns it");
    }

    private ConditionFailedException(String entity, String expectedToken, String why) {
        super(entity + ": " + why + "; nothing was changed");
        this.entity = entity;
        this.expectedToken = expectedToken;
    }

    /** There is nothing of which the token could be read. */
    public static ConditionFailedException missing(String entity) {
        return new ConditionFailedException(entity, "", "there is no such row");
    }

    /** There is a row, but nobody has given it a token, which is another thing than the token 0. */
    public static ConditionFailedException withoutToken(String entity) {
        return new ConditionFailedException(entity, "", "its fencing token is NULL, so nobody can own it");
    }

    /** What was to be changed. */
    public String entity() {
        return entity;
    }

    /** The token that it should have had, as text; empty if any would have done, but there is no such row, or none in it. */
    public String expectedToken() {
        return expectedToken;
    }
}
