/** Faults that a user can inject while the demo runs. */
@NullMarked
package dev.reservoir.demo.trouble;

import org.jspecify.annotations.NullMarked;
