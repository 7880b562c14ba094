/** Auto-configuration for Spring Boot 4: only what its packages require to differ from the other line. */
@NullMarked
package dev.reservoir.spring.boot4;

import org.jspecify.annotations.NullMarked;
