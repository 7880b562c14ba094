@NullMarked
package dev.reservoir.dynamodb;

import org.jspecify.annotations.NullMarked;
