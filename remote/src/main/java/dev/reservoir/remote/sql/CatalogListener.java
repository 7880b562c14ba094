package dev.reservoir.remote.sql;

import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.UserMapping;

/**
 * Is told of changes of a {@link Catalog}, in their order, after they took effect. The thread that made the change
 * calls it and waits for it. It must not change the catalog, and must not wait for a thread that does.
 */
public interface CatalogListener {
    default void serverCreated(ServerDefinition server) {}

    /** {@link ServerDefinition#connectsLike} says whether open connections are still good. */
    default void serverAltered(ServerDefinition before, ServerDefinition after) {}

    /** All its mappings have been dropped before. */
    default void serverDropped(ServerDefinition server) {}

    default void mappingCreated(UserMapping mapping) {}

    /** {@link UserMapping#connectsLike} says whether open connections are still good. */
    default void mappingAltered(UserMapping before, UserMapping after) {}

    default void mappingDropped(UserMapping mapping) {}
}
