/** Between client and server: the startup of connections, their admission, and the sessions. */
@NullMarked
package dev.reservoir.emulator.internal.gateway;

import org.jspecify.annotations.NullMarked;
