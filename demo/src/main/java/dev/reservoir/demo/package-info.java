/** A fleet of services on an emulated Aurora DSQL, with Reservoir and with HikariCP side by side, and what is shown of it. */
@NullMarked
package dev.reservoir.demo;

import org.jspecify.annotations.NullMarked;
