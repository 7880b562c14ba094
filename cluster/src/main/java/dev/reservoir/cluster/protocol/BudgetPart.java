package dev.reservoir.cluster.protocol;

import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.core.spi.Time;
import org.slf4j.Logger;

/** A part of a budget, with what every part needs. Used only on the budget's serial executor. */
public abstract class BudgetPart {
    protected final BudgetContext context;
    protected final ClusterSettings settings;
    protected final SerialExecutor serial;
    protected final Time time;
    protected final StoreClock clock;
    protected final Logger log;

    protected BudgetPart(BudgetContext context) {
        this.context = context;
        this.settings = context.settings();
        this.serial = context.serial;
        this.time = context.time;
        this.clock = context.clock();
        this.log = context.log();
    }

    /** Runs the task on the serial executor after this time. */
    protected final Time.Timer after(long nanos, Runnable task) {
        return time.schedule(nanos, new Entering(serial, task));
    }

    /** A timer's task. A class, because lambdas that capture something are slow until they are optimized. */
    private record Entering(SerialExecutor serial, Runnable task) implements Runnable {
        @Override
        public void run() {
            serial.enter(task);
        }
    }

    /** Returns a random number from {@code 1 - spread} to {@code 1 + spread}. */
    protected final double jitter(double spread) {
        return 1 - spread + 2 * spread * context.random().nextDouble();
    }
}
