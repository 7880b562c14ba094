/** What tests of several modules share. */
@NullMarked
package dev.reservoir.testkit;

import org.jspecify.annotations.NullMarked;
