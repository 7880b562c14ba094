/** The service provider interface for databases, and the operations on one open connection. */
@NullMarked
package dev.reservoir.remote.adapter;

import org.jspecify.annotations.NullMarked;
