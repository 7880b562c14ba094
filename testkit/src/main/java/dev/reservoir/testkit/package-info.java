/** Support for the tests of several modules. */
@NullMarked
package dev.reservoir.testkit;

import org.jspecify.annotations.NullMarked;
