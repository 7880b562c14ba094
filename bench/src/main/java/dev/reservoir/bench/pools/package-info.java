/**
 * The pools that the benchmarks compare, each set up as its users would set it up.
 *
 * <p>Every pool gets the same size (as minimum, maximum and initial number) and the same acquire timeout. It gets the
 * same driver by class name and URL, and the same lifetime where the case needs one. Everything else stays at the
 * pool's own defaults. These defaults affect the figures:
 *
 * <ul>
 *   <li>HikariCP validates after 500 ms idle. Its shortest lifetime is 30 s, varied by up to a quarter.
 *   <li>Agroal keeps a thread-local cache. It waits for ever by default, so the benchmarks set the acquire timeout. It
 *       has the idle removal (5 min) and background validation (2 min) that Quarkus sets by default, and on PostgreSQL
 *       the exception sorter that Quarkus sets. "Agroal, bare" has none of these, as by default in its API, which makes
 *       its checkout much faster. The bars use the former; the table shows both.
 *   <li>Tomcat JDBC has a fair queue. It does not validate and does not reset the session state.
 *   <li>DBCP2 has {@code testOnBorrow} on, by {@code isValid}. It rolls back and resets the connection on return.
 *   <li>c3p0 has three helper threads. Its lifetime is in whole seconds.
 *   <li>Vibur is fair. It has no lifetime, only an idle limit.
 * </ul>
 */
@NullMarked
package dev.reservoir.bench.pools;

import org.jspecify.annotations.NullMarked;
