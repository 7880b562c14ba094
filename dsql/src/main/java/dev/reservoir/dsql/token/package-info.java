/** IAM tokens, which are the passwords of Aurora DSQL. */
@NullMarked
package dev.reservoir.dsql.token;

import org.jspecify.annotations.NullMarked;
