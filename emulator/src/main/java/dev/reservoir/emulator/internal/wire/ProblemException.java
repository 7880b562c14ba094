package dev.reservoir.emulator.internal.wire;

import java.io.Serial;

/** Carries a problem that the client gets to see. */
public final class ProblemException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    private final transient Problem problem;

    public ProblemException(Problem problem) {
        super(problem.toString());
        this.problem = problem;
    }

    public Problem problem() {
        return problem;
    }
}
