package dev.reservoir.demo.workflow;

import java.sql.SQLException;

/** A workflow is not in the state in which this can be done: it runs already, runs no more, or is not there. Not retried. */
public final class WorkflowRefusedException extends SQLException {
    private static final long serialVersionUID = 1L;

    WorkflowRefusedException(String message) {
        super(message);
    }
}
