/** Cases on real time against a database that rations its connections. Each is bounded in time. */
@NullMarked
package dev.reservoir.bench.scenario;

import org.jspecify.annotations.NullMarked;
