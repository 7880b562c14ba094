/**
 * Measures what the shared budget of a fleet costs and how well it keeps to its limits. All processes of a fleet run in
 * one JVM, each with its own budget and reservoir. They use DynamoDB Local in a process of its own, or virtual time and
 * a table in memory.
 *
 * <p>The benchmarks compare three sides: Reservoir at its defaults, Reservoir with the items that Go processes write,
 * and a model of a Go process.
 */
@NullMarked
package dev.reservoir.bench.cluster;

import org.jspecify.annotations.NullMarked;
