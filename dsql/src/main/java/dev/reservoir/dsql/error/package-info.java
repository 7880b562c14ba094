/** Classifies the errors of Aurora DSQL. */
@NullMarked
package dev.reservoir.dsql.error;

import org.jspecify.annotations.NullMarked;
