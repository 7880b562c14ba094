package dev.reservoir.remote.adapter;

import dev.reservoir.remote.model.RemoteErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * The meaning of an error that a driver reported.
 *
 * @param sqlState the SQLState of the driver; null if it has none
 * @param vendorCode the code of the database; 0 if it has none
 * @param retryable whether the same call may succeed later
 * @param fatal whether the connection is dead
 */
public record RemoteFailure(
        RemoteErrorCode code, @Nullable String sqlState, int vendorCode, boolean retryable, boolean fatal) {}
