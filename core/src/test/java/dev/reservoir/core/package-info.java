@NullMarked
package dev.reservoir.core;

import org.jspecify.annotations.NullMarked;
