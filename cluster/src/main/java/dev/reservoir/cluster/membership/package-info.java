/** Who is in the fleet, heartbeats, and the failure detector. */
@NullMarked
package dev.reservoir.cluster.membership;

import org.jspecify.annotations.NullMarked;
