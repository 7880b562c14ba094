/** The simulator: it runs the production engine on virtual time, in a simulated fleet, against a simulated database. */
@NullMarked
package dev.reservoir.sim;

import org.jspecify.annotations.NullMarked;
