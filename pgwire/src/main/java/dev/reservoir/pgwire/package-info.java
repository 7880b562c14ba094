/**
 * PostgreSQL's wire protocol. The packages below are for those who need single messages, such as a gateway or a proxy.
 * No type of this package uses Netty.
 */
@NullMarked
package dev.reservoir.pgwire;

import org.jspecify.annotations.NullMarked;
