/**
 * A store of workflows in the way of Temporal, on Aurora DSQL. It is an example of such a store, and the workload of
 * the demo.
 */
@NullMarked
package dev.reservoir.demo.workflow;

import org.jspecify.annotations.NullMarked;
