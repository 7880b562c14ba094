/** Standard mode: HikariCP with tokens and within the rate limit. */
@NullMarked
package dev.reservoir.dsql.standard;

import org.jspecify.annotations.NullMarked;
