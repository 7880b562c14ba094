/** What the tests of several modules need: a browser, a database, an ear for the log. */
@NullMarked
package dev.reservoir.testing;

import org.jspecify.annotations.NullMarked;
