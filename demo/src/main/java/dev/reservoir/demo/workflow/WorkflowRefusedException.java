package dev.reservoir.demo.workflow;

import java.sql.SQLException;

/**
 * Reports that an operation does not fit the state of the workflow: it runs already, it no longer runs, or it does not
 * exist. It is not retried.
 */
public final class WorkflowRefusedException extends SQLException {
    private static final long serialVersionUID = 1L;

    WorkflowRefusedException(String message) {
        super(message);
    }
}
