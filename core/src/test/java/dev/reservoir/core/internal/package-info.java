@NullMarked
package dev.reservoir.core.internal;

import org.jspecify.annotations.NullMarked;
