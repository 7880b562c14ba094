/** The two kinds of time: the machine's, and a virtual one that moves only when it is told to. */
@NullMarked
package dev.reservoir.core.time;

import org.jspecify.annotations.NullMarked;
