/** The two fleets: services, their pools and their databases. */
@NullMarked
package dev.reservoir.demo.fleet;

import org.jspecify.annotations.NullMarked;
