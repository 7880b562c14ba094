/**
 * The demo: two fleets of services on emulated Aurora DSQL clusters, one with Reservoir and one with HikariCP, and
 * their displays.
 */
@NullMarked
package dev.reservoir.demo;

import org.jspecify.annotations.NullMarked;
