/**
 * The engine keeps connections of any kind ready where opening them is rationed.
 *
 * <p>Start with {@link dev.reservoir.core.Reservoir}. {@code docs/promises.md} numbers the promises that it keeps. The
 * code cites them by number.
 */
@NullMarked
package dev.reservoir.core;

import org.jspecify.annotations.NullMarked;
