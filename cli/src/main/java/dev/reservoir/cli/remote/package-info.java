/** The commands for a registry of remote servers: check its servers, and run it. */
@NullMarked
package dev.reservoir.cli.remote;

import org.jspecify.annotations.NullMarked;
