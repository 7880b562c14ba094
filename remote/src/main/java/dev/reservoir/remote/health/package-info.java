/** Decides whether servers are healthy, and checks them. */
@NullMarked
package dev.reservoir.remote.health;

import org.jspecify.annotations.NullMarked;
