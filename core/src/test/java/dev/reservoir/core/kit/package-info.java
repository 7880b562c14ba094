/** What the tests of the engine stand on: a pretended world on virtual time, and one who checks the promises in it. */
@NullMarked
package dev.reservoir.core.kit;

import org.jspecify.annotations.NullMarked;
