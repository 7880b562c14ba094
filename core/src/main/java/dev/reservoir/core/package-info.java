/**
 * The engine: keeps connections of any kind ready where opening them is rationed.
 *
 * <p>{@link dev.reservoir.core.Reservoir} is where to begin. The promises it keeps are numbered in {@code docs/promises.md}
 * and cited by number where the code keeps them.
 */
@NullMarked
package dev.reservoir.core;

import org.jspecify.annotations.NullMarked;
