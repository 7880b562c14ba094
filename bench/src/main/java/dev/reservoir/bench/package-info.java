/**
 * Benchmarks of Reservoir and other pools. {@link dev.reservoir.bench.Bench} runs one part for one pool and appends its
 * measurements to a file. The {@code report} part turns that file into a table.
 */
@NullMarked
package dev.reservoir.bench;

import org.jspecify.annotations.NullMarked;
