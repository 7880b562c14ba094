/** Tells what an error of Aurora DSQL means. */
@NullMarked
package dev.reservoir.dsql.error;

import org.jspecify.annotations.NullMarked;
