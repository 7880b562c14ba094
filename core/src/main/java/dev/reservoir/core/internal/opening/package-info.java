/** Opens and closes connections, step by step: lease, permit, connect, close. */
@NullMarked
package dev.reservoir.core.internal.opening;

import org.jspecify.annotations.NullMarked;
