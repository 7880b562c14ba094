/** The measurements, and the table made of them. */
@NullMarked
package dev.reservoir.bench.report;

import org.jspecify.annotations.NullMarked;
