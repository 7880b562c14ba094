/** Auto-configuration for Spring Boot 3: only what its packages require to differ from the other line. */
@NullMarked
package dev.reservoir.spring.boot3;

import org.jspecify.annotations.NullMarked;
