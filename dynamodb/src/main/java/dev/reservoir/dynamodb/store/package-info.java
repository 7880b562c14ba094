/** A store on DynamoDB: the client, the store itself, and its tables and policies. Not exported. */
@NullMarked
package dev.reservoir.dynamodb.store;

import org.jspecify.annotations.NullMarked;
