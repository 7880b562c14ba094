/**
 * Failures of a real PostgreSQL and of the way to it, the same for every pool: {@link dev.reservoir.bench.trouble.TroublePart} runs
 * one pool through all of them. Every pool has 10 connections and is otherwise at its defaults.
 */
@NullMarked
package dev.reservoir.bench.trouble;

import org.jspecify.annotations.NullMarked;
