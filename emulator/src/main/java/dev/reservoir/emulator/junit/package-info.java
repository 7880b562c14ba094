/** The emulator in JUnit tests. Only this package needs JUnit's API. */
@NullMarked
package dev.reservoir.emulator.junit;

import org.jspecify.annotations.NullMarked;
