@NullMarked
package dev.reservoir.dynamodb.store;

import org.jspecify.annotations.NullMarked;
