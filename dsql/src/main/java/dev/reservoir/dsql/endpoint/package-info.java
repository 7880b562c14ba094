/** The address of a cluster, the login data, and the cluster's limits. */
@NullMarked
package dev.reservoir.dsql.endpoint;

import org.jspecify.annotations.NullMarked;
