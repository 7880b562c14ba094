/** Faults that a user can inject while the demo runs. */
@NullMarked
package dev.reservoir.demo.fault;

import org.jspecify.annotations.NullMarked;
