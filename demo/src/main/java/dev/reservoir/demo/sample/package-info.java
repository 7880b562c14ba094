/** Snapshots of both sides, taken once a second. */
@NullMarked
package dev.reservoir.demo.sample;

import org.jspecify.annotations.NullMarked;
