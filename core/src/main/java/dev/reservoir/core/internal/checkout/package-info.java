/**
 * The checkout path: ready connections, and the queue of those who wait. Takes no lock and never opens or closes a
 * connection.
 */
@NullMarked
package dev.reservoir.core.internal.checkout;

import org.jspecify.annotations.NullMarked;
