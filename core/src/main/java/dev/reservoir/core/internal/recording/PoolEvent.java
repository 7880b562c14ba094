package dev.reservoir.core.internal.recording;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/**
 * An event of one reservoir. The events have no stack trace, because most of them happen on a thread of the reservoir.
 * A time span is a field of its own, because the recorder would measure only how long it takes to tell of the event.
 */
@Category("Reservoir")
@StackTrace(false)
abstract sealed class PoolEvent extends Event {
    @Label("Pool")
    String pool = "";

    /** A checkout left the wait queue. */
    @Name("reservoir.CheckoutWait")
    @Label("Checkout Wait")
    @Description("A checkout waited for a connection for 1 ms or more")
    static final class CheckoutWait extends PoolEvent {
        @Label("Waited")
        @Timespan(Timespan.NANOSECONDS)
        long waited;

        @Label("Served")
        @Description("Whether it got a connection")
        boolean served;
    }

    /** A connection was opened. */
    @Name("reservoir.Connect")
    @Label("Connect")
    @Description("A connection was opened")
    static final class Connect extends PoolEvent {
        @Label("Took")
        @Description("Without the waits for permits and leases")
        @Timespan(Timespan.NANOSECONDS)
        long took;
    }

    /** A connect failed. */
    @Name("reservoir.ConnectFailure")
    @Label("Connect Failure")
    @Description("A connect failed")
    static final class ConnectFailure extends PoolEvent {
        @Label("Reason")
        String reason = "";

        @Label("Failures in a Row")
        @Description("Consecutive failures for this reason")
        int failuresInARow;
    }

    /** A background validation ended. */
    @Name("reservoir.Validation")
    @Label("Validation")
    @Description("A validation in the background ended")
    static final class Validation extends PoolEvent {
        @Label("Took")
        @Timespan(Timespan.NANOSECONDS)
        long took;

        @Label("Works")
        boolean works;
    }

    /** A connection left the reservoir. */
    @Name("reservoir.Discard")
    @Label("Discard")
    @Description("A connection left the reservoir and is about to be closed")
    static final class Discard extends PoolEvent {
        @Label("Reason")
        String reason = "";

        @Label("Remaining")
        @Description("The rest of its lifetime; negative if it had expired")
        @Timespan(Timespan.NANOSECONDS)
        long remaining;

        @Label("Uses")
        @Description("Checkouts that it served")
        long uses;
    }
}
