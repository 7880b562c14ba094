/**
 * Failures of a real PostgreSQL server and of the network to it, the same for every pool.
 * {@link dev.reservoir.bench.trouble.TroublePart} runs one pool through all of them. Every pool has 10 connections and
 * its own defaults otherwise.
 */
@NullMarked
package dev.reservoir.bench.trouble;

import org.jspecify.annotations.NullMarked;
