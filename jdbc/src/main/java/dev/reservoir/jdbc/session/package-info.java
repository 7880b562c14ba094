/** The initial state of a session, and the changes that are undone on release. */
@NullMarked
package dev.reservoir.jdbc.session;

import org.jspecify.annotations.NullMarked;
