/**
 * PostgreSQL's wire protocol. {@link dev.reservoir.pgwire.PgServer} answers clients of that protocol by a
 * {@link dev.reservoir.pgwire.QueryHandler}. The packages below are for those who need single messages, such as a
 * gateway or a proxy. No type of this package uses Netty.
 */
@NullMarked
package dev.reservoir.pgwire;

import org.jspecify.annotations.NullMarked;
