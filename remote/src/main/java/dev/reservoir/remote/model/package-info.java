/** Servers, user mappings and their options, and the errors of the registry. */
@NullMarked
package dev.reservoir.remote.model;

import org.jspecify.annotations.NullMarked;
