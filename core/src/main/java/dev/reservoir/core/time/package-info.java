/** The two kinds of time: that of the machine, and a virtual one that moves only on request. */
@NullMarked
package dev.reservoir.core.time;

import org.jspecify.annotations.NullMarked;
