/** The emulator in JUnit tests. Needs JUnit's API, which the rest does not. */
@NullMarked
package dev.reservoir.emulator.junit;

import org.jspecify.annotations.NullMarked;
