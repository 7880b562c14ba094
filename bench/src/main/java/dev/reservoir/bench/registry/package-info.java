/** The registry of pools beside the JDBC door and beside one HikariCP for each user. */
@NullMarked
package dev.reservoir.bench.registry;

import org.jspecify.annotations.NullMarked;
