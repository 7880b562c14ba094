package dev.reservoir.core.kit;

import dev.reservoir.core.DiscardReason;
import org.jspecify.annotations.Nullable;

/** A simulated connection. */
public final class Wire {
    public final int number;
    public final long arrivedNanos;

    /** Whether the server has dropped it, so that every validation fails. */
    public boolean broken;

    /** The reason why the engine began to close it; null while it is open. */
    public @Nullable DiscardReason closedFor;

    public int validations;

    /** When it last answered a validation, and how many it has answered since it was last in use. */
    public long answeredNanos = -1;

    public int answersSinceUse;

    /** When the last successful validation began. */
    public long validatedNanos = -1;

    Wire(int number, long arrivedNanos) {
        this.number = number;
        this.arrivedNanos = arrivedNanos;
    }

    @Override
    public String toString() {
        return "wire " + number;
    }
}
