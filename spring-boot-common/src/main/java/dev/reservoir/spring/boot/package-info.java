/** What the starters for Spring Boot 3 and 4 share: here, the types that an application uses. */
@NullMarked
package dev.reservoir.spring.boot;

import org.jspecify.annotations.NullMarked;
