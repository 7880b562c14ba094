/** A database in this process that rations its connections by rate, number and age. */
@NullMarked
package dev.reservoir.bench.rationed;

import org.jspecify.annotations.NullMarked;
