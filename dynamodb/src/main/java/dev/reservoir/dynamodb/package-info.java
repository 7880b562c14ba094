/**
 * The cluster budget on DynamoDB. {@link dev.reservoir.dynamodb.DynamoBudget} is the door; beside it stand what operators need:
 * {@link dev.reservoir.dynamodb.DynamoTables} and {@link dev.reservoir.dynamodb.IamPolicies}.
 */
@NullMarked
package dev.reservoir.dynamodb;

import org.jspecify.annotations.NullMarked;
