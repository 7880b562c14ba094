package dev.reservoir.dsql.error;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Reports a fenced update that changed nothing, because the row no longer has the expected fencing token or no longer
 * exists. Another process owns the entity now. It is never retried, because the same token would fail again. A caller
 * that receives it must stop acting as the owner.
 */
public final class ConditionFailedException extends SQLException {
    private static final long serialVersionUID = 1L;

    private final String entity;
    private final String expectedToken;

    /**
     * Creates the error for an entity that does not have the expected token.
     *
     * @param entity the entity that the update addressed, such as {@code shard 7}
     * @param expectedToken the token that the entity should have had
     */
    public ConditionFailedException(String entity, @Nullable Object expectedToken) {
        this(
                entity,
                String.valueOf(expectedToken),
                "the fencing token is no longer " + expectedToken + ", so another process owns the row");
    }

    private ConditionFailedException(String entity, String expectedToken, String why) {
        super(entity + ": " + why + "; nothing was changed");
        this.entity = entity;
        this.expectedToken = expectedToken;
    }

    /** Returns the error for an entity that has no row. */
    public static ConditionFailedException missing(String entity) {
        return new ConditionFailedException(entity, "", "there is no such row");
    }

    /** Returns the error for a row whose token is NULL. NULL is not the token 0. */
    public static ConditionFailedException withoutToken(String entity) {
        return new ConditionFailedException(entity, "", "its fencing token is NULL, so no process can own it");
    }

    /** The entity that the update addressed. */
    public String entity() {
        return entity;
    }

    /**
     * The token that the entity should have had, as text. It is empty if any token was acceptable, but the row or its
     * token is missing.
     */
    public String expectedToken() {
        return expectedToken;
    }
}
