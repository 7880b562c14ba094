@NullMarked
package dev.reservoir.core.time;

import org.jspecify.annotations.NullMarked;
