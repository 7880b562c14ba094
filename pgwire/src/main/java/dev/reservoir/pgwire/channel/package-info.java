/** Netty's channels and event loops, without futures. */
@NullMarked
package dev.reservoir.pgwire.channel;

import org.jspecify.annotations.NullMarked;
