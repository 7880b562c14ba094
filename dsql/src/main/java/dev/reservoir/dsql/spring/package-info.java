/** Retries of transactions that Spring begins and commits. Needs Spring's transactions and AOP, which this module does not bring. */
@NullMarked
package dev.reservoir.dsql.spring;

import org.jspecify.annotations.NullMarked;
