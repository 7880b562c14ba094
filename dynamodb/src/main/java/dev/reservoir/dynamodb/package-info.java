/**
 * The cluster budget on DynamoDB. Applications use {@link dev.reservoir.dynamodb.DynamoBudget}. Operators use
 * {@link dev.reservoir.dynamodb.DynamoTables} and {@link dev.reservoir.dynamodb.IamPolicies}.
 */
@NullMarked
package dev.reservoir.dynamodb;

import org.jspecify.annotations.NullMarked;
