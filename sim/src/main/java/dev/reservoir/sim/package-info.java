/** The simulator: reservoirs of the production engine on virtual time, in a pretended fleet, against a pretended database. */
@NullMarked
package dev.reservoir.sim;

import org.jspecify.annotations.NullMarked;
