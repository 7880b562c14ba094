package dev.reservoir.remote.pool;

import dev.reservoir.core.OpenFailedException;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.util.Causes;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.ServerDefinition;
import java.sql.SQLException;

/** Gives a failed acquire its code. The door's message already names the limit and the numbers. Holds nothing. */
final class AcquireErrors {
    private AcquireErrors() {}

    static RemoteException of(SQLException error, ServerDefinition server, String localUser, ServerLeases leases) {
        String reason = error instanceof RemoteException ours ? ours.detail() : error.getMessage();
        String message = "server " + server.name() + ", user " + localUser + ": " + reason;
        RemoteErrorCode code = code(error);
        if (code == RemoteErrorCode.POOL_EXHAUSTED) {
            message += " The server has " + leases.held() + " of max_connections " + leases.max()
                    + " connections open or opening for all its users.";
        }
        return new RemoteException(code, message, error);
    }

    private static RemoteErrorCode code(SQLException error) {
        RemoteErrorCode code = RemoteErrorCode.POOL_EXHAUSTED;
        for (Throwable t : Causes.of(error)) {
            if (t instanceof RemoteException failed) {
                // Adapters say the same of a server that is full.
                return failed.code();
            }
            if (t instanceof OpenFailedException failed) {
                boolean ofPool = failed.reason() == OpenFailureReason.LEASE_ACQUIRE
                        || failed.reason() == OpenFailureReason.RATE_LIMIT;
                code = ofPool ? RemoteErrorCode.POOL_EXHAUSTED : RemoteErrorCode.CONNECTION_FAILED;
            } else if (t instanceof InterruptedException) {
                code = RemoteErrorCode.TIMEOUT;
            }
        }
        return code;
    }
}
