/** Failures of the start, and how Spring Boot explains them. */
@NullMarked
package dev.reservoir.spring.boot.failure;

import org.jspecify.annotations.NullMarked;
