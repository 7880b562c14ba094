/**
 * Benchmarks of Reservoir beside other pools: {@link dev.reservoir.bench.Bench} runs one part for one pool and appends
 * what it measured to a file; the {@code report} part makes a table of that file.
 */
@NullMarked
package dev.reservoir.bench;

import org.jspecify.annotations.NullMarked;
