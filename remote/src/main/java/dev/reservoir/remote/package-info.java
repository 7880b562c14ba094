/** The registry of connection pools to many servers, for many users. */
@NullMarked
package dev.reservoir.remote;

import org.jspecify.annotations.NullMarked;
