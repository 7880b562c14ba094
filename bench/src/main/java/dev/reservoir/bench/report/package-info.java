/** What was measured, and the table made of it. */
@NullMarked
package dev.reservoir.bench.report;

import org.jspecify.annotations.NullMarked;
