/** What an application shows about its data sources: metadata, meters, health, an endpoint. */
@NullMarked
package dev.reservoir.spring.boot.watch;

import org.jspecify.annotations.NullMarked;
