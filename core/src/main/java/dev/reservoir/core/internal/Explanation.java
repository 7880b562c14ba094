package dev.reservoir.core.internal;

import dev.reservoir.core.LoanReport;
import dev.reservoir.core.NoConnectionException;
import dev.reservoir.core.NoConnectionException.Why;
import dev.reservoir.core.Settings;
import dev.reservoir.core.Text;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Permits;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
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
            // Asked before the lock is taken: nothing foreign is called while it is held.
            String rate = described(permits::describe);
            String count = leases == null ? "" : described(leases::describe);
            List<Entry<T>> everyone = new ArrayList<>();
            Finding found = keeper.inspect(view -> {
                everyone.addAll(view.everyone());
                return find(why, view, keeper, nowNanos, rate, count);
            });
            finding = new Finding(why, nowNanos, found.text + holder(everyone, nowNanos), found.cause);
            last = finding;
        }
        String text = name + ": " + what(why, waitedNanos) + " " + finding.text + " See docs/limits.md.";
        return new NoConnectionException(why, text, finding.cause);
    }

    private <T> Finding find(Why why, View<T> view, Keeper<T> keeper, long nowNanos, String rate, String count) {
        Keeper.Failure failure = view.lastFailure();
        String text = "Limit reached: " + limit(why, view, nowNanos, rate, count) + ". " + numbers(view, keeper);
        return new Finding(why, nowNanos, text, failure == null ? null : failure.cause());
    }

    /** A limit's own words; a foreign hand that cannot find them must not cost the checkout its answer. */
    private static String described(Supplier<String> limit) {
        try {
            return limit.get();
        } catch (RuntimeException e) {
            return "a limit that cannot tell its numbers (" + e.getClass().getName() + ")";
        }
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

    private <T> String limit(Why why, View<T> view, long nowNanos, String rate, String count) {
        if (why == Why.QUEUE_FULL) {
            return "waitersMax (" + settings.waitersMax() + ")";
        }
        if (view.paused()) {
            return "the reservoir is paused";
        }
        if (view.size() >= view.targets().maxOpen()) {
            return "maxOpen (" + view.targets().maxOpen() + ")"
                    + (view.overflow() > 0 ? " and overflowMax (" + settings.overflowMax() + ")" : "");
        }
        Keeper.Failure failure = view.lastFailure();
        if (failure != null) {
            long pause = view.backoffUntilNanos() - nowNanos;
            String limit = switch (failure.reason()) {
                case LEASE_ACQUIRE -> ": " + count;
                case RATE_LIMIT -> ": " + rate;
                case SERVER_RATE -> ": the server says that connections are opened too fast";
                case SERVER_FULL -> ": the server says that too many connections are open";
                default -> "";
            };
            return "connects fail (" + failure.reason().label() + limit + ", next try "
                    + (pause > 0 ? "in " + Text.nanos(pause) : "under way") + ")";
        }
        if (view.waitingForLease() > 0) {
            return count;
        }
        if (view.waitingForPermit() > 0) {
            return rate;
        }
        if (view.opening() == 0 && view.openStill() > 0) {
            return "maxOpen (" + view.targets().maxOpen() + "), " + view.openStill() + " being closed";
        }
        return "connects under way have not finished";
    }

    private static <T> String numbers(View<T> view, Keeper<T> keeper) {
        int ready = view.ready();
        int lent = view.size() - ready - view.proving();
        return "Lent " + lent + " of " + view.targets().maxOpen() + ", ready " + ready + ", being proven "
                + view.proving() + ", opening " + view.opening()
                + (view.overflow() > 0 ? ", overflow " + view.overflow() : "") + ", waiting "
                + keeper.waiters().waiting() + ".";
    }

    private static <T> String holder(List<Entry<T>> everyone, long nowNanos) {
        List<LoanReport> loans = Holders.of(everyone, nowNanos, 0);
        return loans.isEmpty() ? "" : " Longest on loan: " + loans.get(0).describe() + ".";
    }
}
