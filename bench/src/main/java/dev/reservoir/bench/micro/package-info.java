/** What a checkout and a statement cost on a driver that does nothing, measured with JMH. */
@NullMarked
package dev.reservoir.bench.micro;

import org.jspecify.annotations.NullMarked;
