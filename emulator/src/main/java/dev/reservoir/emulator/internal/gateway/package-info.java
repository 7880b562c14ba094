/** Between client and server: the front door, which admits connections, and the sessions. */
@NullMarked
package dev.reservoir.emulator.internal.gateway;

import org.jspecify.annotations.NullMarked;
