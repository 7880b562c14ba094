/**
 * What a fleet's shared budget costs, and how well it keeps to its limits: all processes of a fleet in one JVM, each with a budget
 * and a reservoir of its own, on DynamoDB Local in a process of its own, or on virtual time and a table in memory.
 *
 * <p>Three sides are measured: Reservoir as it is by default, Reservoir on the items that Go processes write, and a model of what
 * a Go process does with these.
 */
@NullMarked
package dev.reservoir.bench.cluster;

import org.jspecify.annotations.NullMarked;
