/**
 * Aurora DSQL, emulated: Reservoir beside HikariCP as AWS's samples set it, a fill of 10,000 connections, and a fleet of processes that goes
 * through random trouble for minutes. The emulator always runs in a process of its own, so that its work is not taken for a pool's.
 */
@NullMarked
package dev.reservoir.bench.dsql;

import org.jspecify.annotations.NullMarked;
