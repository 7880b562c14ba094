/**
 * Attacks on Reservoir alone: what an application, a driver, a network or an operating system can do to a pool beyond an ordinary
 * failure. {@link dev.reservoir.bench.attack.AttackPart} runs them; each says in one line what was attacked, what held and what did
 * not.
 */
@NullMarked
package dev.reservoir.bench.attack;

import org.jspecify.annotations.NullMarked;
