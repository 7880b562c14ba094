/** Log lines that never block the caller and never hold a secret. */
@NullMarked
package dev.reservoir.jdbc.log;

import org.jspecify.annotations.NullMarked;
