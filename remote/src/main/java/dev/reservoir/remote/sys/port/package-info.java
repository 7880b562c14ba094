/** The port through which PostgreSQL's clients query the views and change the registry. */
@NullMarked
package dev.reservoir.remote.sys.port;

import org.jspecify.annotations.NullMarked;
