/** Between client and server: the front door, the sessions, and the servers' ends of them. */
@NullMarked
package dev.reservoir.emulator.internal.gateway;

import org.jspecify.annotations.NullMarked;
