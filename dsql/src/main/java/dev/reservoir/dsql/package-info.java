/**
 * Everything that Aurora DSQL asks of a client. {@link dev.reservoir.dsql.DsqlDataSource} connects: tokens, encryption, limits,
 * with a reservoir or with HikariCP. {@link dev.reservoir.dsql.Transactions} retries what conflicts.
 */
@NullMarked
package dev.reservoir.dsql;

import org.jspecify.annotations.NullMarked;
