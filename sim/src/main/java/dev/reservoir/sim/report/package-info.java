/** The page that shows what simulations answered: charts, verdicts and tables in one file that needs nothing else. */
@NullMarked
package dev.reservoir.sim.report;

import org.jspecify.annotations.NullMarked;
