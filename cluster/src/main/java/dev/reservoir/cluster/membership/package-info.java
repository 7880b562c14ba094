/** The members of the fleet, their heartbeats, and the failure detector. */
@NullMarked
package dev.reservoir.cluster.membership;

import org.jspecify.annotations.NullMarked;
