/** An in-memory DynamoDB on this machine, for tests and demonstrations. */
@NullMarked
package dev.reservoir.dynamodb.local;

import org.jspecify.annotations.NullMarked;
