/** Certificates and tokens. */
@NullMarked
package dev.reservoir.emulator.internal.auth;

import org.jspecify.annotations.NullMarked;
