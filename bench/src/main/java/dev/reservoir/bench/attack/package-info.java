/**
 * Attacks on Reservoir: what an application, a driver, a network or an operating system can do to a pool beyond an
 * ordinary failure. {@link dev.reservoir.bench.attack.AttackPart} runs them. Each attack prints one line with its
 * target, the checks that held and those that did not.
 */
@NullMarked
package dev.reservoir.bench.attack;

import org.jspecify.annotations.NullMarked;
