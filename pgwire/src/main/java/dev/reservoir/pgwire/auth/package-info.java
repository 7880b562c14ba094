/** Passwords and SCRAM-SHA-256, on the client's and on the server's side. */
@NullMarked
package dev.reservoir.pgwire.auth;

import org.jspecify.annotations.NullMarked;
