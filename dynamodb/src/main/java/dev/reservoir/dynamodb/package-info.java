/** The cluster budget on DynamoDB. Applications use {@link dev.reservoir.dynamodb.DynamoBudget}. */
@NullMarked
package dev.reservoir.dynamodb;

import org.jspecify.annotations.NullMarked;
