/** Trouble that can be made while the demo runs. */
@NullMarked
package dev.reservoir.demo.trouble;

import org.jspecify.annotations.NullMarked;
