/** Where a cluster is, how to log in to it, and what it allows. */
@NullMarked
package dev.reservoir.dsql.endpoint;

import org.jspecify.annotations.NullMarked;
