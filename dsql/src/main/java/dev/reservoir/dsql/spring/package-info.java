/**
 * Retries of transactions that Spring begins and commits. Needs Spring's transaction and AOP modules, which this module
 * does not include.
 */
@NullMarked
package dev.reservoir.dsql.spring;

import org.jspecify.annotations.NullMarked;
