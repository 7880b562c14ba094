package dev.reservoir.core.internal;

import dev.reservoir.core.LoanReport;
import dev.reservoir.core.NoConnectionException;
import dev.reservoir.core.NoConnectionException.Why;
import dev.reservoir.core.Settings;
import dev.reservoir.core.Text;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Permits;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Says why a checkout got no connection: the limit that was reached, the numbers, who holds connections longest. */
public final class Explanation {
    /** When thousands time out together, one look at everything serves them all. */
    private static final long FRESH_NANOS = 10_000_000L;

    private final String name;
    private final Settings settings;
    private final Permits permits;
    private final @Nullable Leases leases;
    private volatile @Nullable Finding last;

    public Explanation(String name, Settings settings, Permits permits, @Nullable Leases leases) {
        this.name = name;
        this.settings = settings;
        this.permits = permits;
        this.leases = leases;
    }

    public <T> NoConnectionException of(Why why, long waitedNanos, Keeper<T> keeper, long nowNanos) {
        Finding finding = last;
        if (finding == null || finding.why != why || nowNanos - finding.atNanos > FRESH_NANOS) {
            finding = keeper.inspect(view -> find(why, view, keeper, nowNanos));
            last = finding;
        }
        String text = name + ": " + what(why, waitedNanos) + " " + finding.text + " See docs/limits.md.";
        return new NoConnectionException(why, text, finding.cause);
    }

    private <T> Finding find(Why why, Keeper<T>.View view, Keeper<T> keeper, long nowNanos) {
        Keeper.Failure failure = view.lastFailure();
        String text = "Limit reached: " + limit(why, view, nowNanos) + ". " + numbers(view, keeper)
                + holder(view.everyone(), nowNanos);
        return new Finding(why, nowNanos, text, failure == null ? null : failure.cause());
    }

    private record Finding(
            Why why, long atNanos, String text, @Nullable Throwable cause) {}

    /** What is said to those who come after the end. */
    public NoConnectionException closed() {
        return new NoConnectionException(Why.CLOSED, name + ": the reservoir is closed.", null);
    }

    private static String what(Why why, long waitedNanos) {
        return why == Why.TIMEOUT ? "no connection within " + Text.nanos(waitedNanos) + "." : "no connection is ready.";
    }

    private <T> String limit(Why why, Keeper<T>.View view, long nowNanos) {
        if (why == Why.QUEUE_FULL) {
            return "waitersMax (" + settings.waitersMax() + ")";
        }
        if (view.paused()) {
            return "the reservoir is paused";
        }
        Keeper.Failure failure = view.lastFailure();
        if (failure != null) {
            long pause = view.backoffUntilNanos() - nowNanos;
            return "connects fail (" + failure.reason().label() + ", next try "
                    + (pause > 0 ? "in " + Text.nanos(pause) : "under way") + ")";
        }
        if (view.waitingForLease() > 0 && leases != null) {
            return leases.describe();
        }
        if (view.waitingForPermit() > 0) {
            return permits.describe();
        }
        if (view.isFull()) {
            return "maxOpen (" + view.targets().maxOpen() + ")";
        }
        return "connects under way have not finished";
    }

    private static <T> String numbers(Keeper<T>.View view, Keeper<T> keeper) {
        int lent = view.size() - view.ready() - view.proving();
        return "Lent " + lent + " of " + view.targets().maxOpen() + ", ready " + view.ready() + ", being proven "
                + view.proving() + ", opening " + view.opening() + ", waiting "
                + keeper.waiters().waiting() + ".";
    }

    private static <T> String holder(List<Entry<T>> everyone, long nowNanos) {
        List<LoanReport> loans = Holders.of(everyone, nowNanos, 0);
        return loans.isEmpty() ? "" : " Longest on loan: " + loans.get(0).describe() + ".";
    }
}
