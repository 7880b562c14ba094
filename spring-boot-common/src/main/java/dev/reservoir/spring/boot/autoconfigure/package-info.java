/** Auto-configuration that is the same in Spring Boot 3 and 4. */
@NullMarked
package dev.reservoir.spring.boot.autoconfigure;

import org.jspecify.annotations.NullMarked;
