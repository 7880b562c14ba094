package dev.reservoir.remote.sql;

import org.jspecify.annotations.Nullable;

/**
 * One entry of {@code OPTIONS (...)}.
 *
 * @param value null for {@link Action#DROP}
 * @param position the place of the key
 */
record OptionChange(Action action, String key, @Nullable String value, SourcePosition position) {
    enum Action {
        /** The option must not be set yet. */
        ADD,
        /** The option may be set already. */
        SET,
        /** The option must be set. */
        DROP
    }

    /** Without the value, which may be a secret. */
    @Override
    public String toString() {
        return action + " " + key;
    }
}
