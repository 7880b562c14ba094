/** A database in this process that rations its connections: so many a second, so many open, none too old. */
@NullMarked
package dev.reservoir.bench.rationed;

import org.jspecify.annotations.NullMarked;
