/** Counts the bytes of connections, with sockets that drivers create by the name of their factory. */
@NullMarked
package dev.reservoir.remote.adapter.traffic;

import org.jspecify.annotations.NullMarked;
