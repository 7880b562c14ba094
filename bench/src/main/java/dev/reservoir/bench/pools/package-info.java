/**
 * The pools that are compared, each set as its users would set it.
 *
 * <p>Every pool gets the same size (as minimum, maximum and initial number), the same time to wait for a connection, the
 * same lifetime where the case needs one, and the same driver by class name and URL. All else stays at the pool's own
 * defaults. What follows from that and matters for the figures:
 *
 * <ul>
 *   <li>HikariCP: validates after 500 ms idle; its shortest lifetime is 30 s, varied by up to a quarter.
 *   <li>Agroal: keeps a thread-local cache; waits for ever unless told otherwise, so the wait is set. With the idle removal
 *       (5 min) and background validation (2 min) that Quarkus sets by default, and on PostgreSQL with the rule
 *       for broken connections that Quarkus sets. "Agroal, bare" goes
 *       without both, as its API does by default: it is more than twice as fast at a checkout. The bars are judged against the former; both are in the table.
 *   <li>Tomcat JDBC: fair queue; no validation, no reset of session state.
 *   <li>DBCP2: {@code testOnBorrow} is on, by {@code isValid}; rolls back and resets on return.
 *   <li>c3p0: three helper threads; its lifetime has whole seconds.
 *   <li>Vibur: fair; has no lifetime at all, only an idle limit.
 * </ul>
 */
@NullMarked
package dev.reservoir.bench.pools;

import org.jspecify.annotations.NullMarked;
