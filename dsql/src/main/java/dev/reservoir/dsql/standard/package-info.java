/** Standard mode: HikariCP with tokens, inside the rate limit. */
@NullMarked
package dev.reservoir.dsql.standard;

import org.jspecify.annotations.NullMarked;
