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

    /**
     * Creates the error for an entity that could not be changed for another reason.
     *
     * @param entity the entity that the update addressed, such as {@code shard 7}
     * @param expectedToken the token that the entity should have had; empty if any token was acceptable
     * @param why the reason, such as {@code there is no such row}
     */
    public ConditionFailedException(String entity, String expectedToken, String why) {
        super(entity + ": " + why + "; nothing was changed");
        this.entity = entity;
        this.expectedToken = expectedToken;
    }

    /** The entity that the update addressed. */
    public String entity() {
        return entity;
    }

    /** The token that the entity should have had, as text. Empty if only a missing row or token was the problem. */
    public String expectedToken() {
        return expectedToken;
    }
}
