/** The page that shows the results of simulations: charts, verdicts and tables in one file that needs nothing else. */
@NullMarked
package dev.reservoir.sim.report;

import org.jspecify.annotations.NullMarked;
