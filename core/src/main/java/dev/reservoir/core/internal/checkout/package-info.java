/**
 * The checkout path: the ready connections and the wait queue. It takes no lock and never opens or closes a connection.
 */
@NullMarked
package dev.reservoir.core.internal.checkout;

import org.jspecify.annotations.NullMarked;
