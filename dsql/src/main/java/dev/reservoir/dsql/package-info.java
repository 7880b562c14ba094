/**
 * The Aurora DSQL client. {@link dev.reservoir.dsql.DsqlDataSource} connects with tokens, over TLS and within the
 * limits, through a reservoir or HikariCP. {@link dev.reservoir.dsql.tx.Transactions} runs transactions again after a
 * conflict.
 */
@NullMarked
package dev.reservoir.dsql;

import org.jspecify.annotations.NullMarked;
