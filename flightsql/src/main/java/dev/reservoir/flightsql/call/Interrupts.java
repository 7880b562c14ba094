package dev.reservoir.flightsql.call;

import io.grpc.Context;
import java.util.function.BooleanSupplier;

/**
 * Runs steps that must happen although the thread is interrupted or its call is cancelled, and keeps the interrupt for
 * the caller. Arrow's streams leave memory behind if their close is interrupted, and gRPC sends nothing in a context
 * that is cancelled.
 */
public final class Interrupts {
    private Interrupts() {}

    /** Runs the step without a pending interrupt, in a context that nobody cancels. */
    public static void defer(Runnable step) {
        test(() -> {
            step.run();
            return true;
        });
    }

    /** Does the same and returns the answer of the step. */
    public static boolean test(BooleanSupplier step) {
        boolean interrupted = Thread.interrupted();
        Context context = Context.ROOT.attach();
        try {
            return step.getAsBoolean();
        } finally {
            Context.ROOT.detach(context);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
