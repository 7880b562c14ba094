@NullMarked
package dev.reservoir.dynamodb.local;

import org.jspecify.annotations.NullMarked;
