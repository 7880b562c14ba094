/** The cost of a checkout and of a statement on a driver that does nothing, measured with JMH. */
@NullMarked
package dev.reservoir.bench.micro;

import org.jspecify.annotations.NullMarked;
