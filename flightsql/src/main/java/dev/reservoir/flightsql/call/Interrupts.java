package dev.reservoir.flightsql.call;

import java.util.function.BooleanSupplier;

/**
 * Runs steps that must happen although the thread is interrupted, and keeps the interrupt for the caller. Arrow's
 * streams leave memory behind if their close is interrupted.
 */
public final class Interrupts {
    private Interrupts() {}

    /** Runs the step without a pending interrupt. */
    public static void defer(Runnable step) {
        test(() -> {
            step.run();
            return true;
        });
    }

    /** Runs the step without a pending interrupt and returns its answer. */
    public static boolean test(BooleanSupplier step) {
        boolean interrupted = Thread.interrupted();
        try {
            return step.getAsBoolean();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
