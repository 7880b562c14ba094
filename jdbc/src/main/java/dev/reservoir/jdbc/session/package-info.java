/** What a session is set to at first, and what is undone on release. */
@NullMarked
package dev.reservoir.jdbc.session;

import org.jspecify.annotations.NullMarked;
