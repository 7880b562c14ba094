/** What both sides do, sampled once a second. */
@NullMarked
package dev.reservoir.demo.sample;

import org.jspecify.annotations.NullMarked;
