/**
 * Benchmarks on emulated Aurora DSQL: Reservoir and HikariCP as AWS's samples set it up, a fill of 10,000 connections,
 * and a fleet of processes with random faults for some minutes. The emulator always runs in a process of its own, so
 * that its work does not count as work of a pool.
 */
@NullMarked
package dev.reservoir.bench.dsql;

import org.jspecify.annotations.NullMarked;
