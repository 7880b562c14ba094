/** A store of workflows in the manner of Temporal's, on Aurora DSQL: an example of how to write one, and a workload. */
@NullMarked
package dev.reservoir.demo.workflow;

import org.jspecify.annotations.NullMarked;
