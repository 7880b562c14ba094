package dev.reservoir.core.internal;

import dev.reservoir.core.Counts;
import dev.reservoir.core.InUseReport;
import dev.reservoir.core.NoConnectionException;
import dev.reservoir.core.NoConnectionException.Why;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.internal.calls.EngineSpi;
import dev.reservoir.core.internal.checkout.Entry;
import dev.reservoir.core.internal.checkout.Holders;
import dev.reservoir.core.internal.keeper.KeeperReports;
import dev.reservoir.core.internal.keeper.KeeperReports.Shortage;
import dev.reservoir.core.internal.opening.ConnectFailures.Failure;
import dev.reservoir.core.internal.stats.CurrentSettings;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.core.util.Text;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Explains why a checkout got no connection: the limit that was reached, the numbers, the connection that has been in
 * use longest, and what the reader can do. People read the message in a log, far from any documentation, so it refers
 * to none.
 *
 * @param <T> the connection
 */
public final class NoConnectionMessage<T> {
    /**
     * How long one explanation is reused. If thousands of checkouts time out together, the keeper is inspected once for
     * all of them.
     */
    private static final long FRESH_NANOS = 10_000_000L;

    private static final String MORE_PERMITS = "Wait, or raise the rate of connects as far as the database allows.";
    private static final String MORE_LEASES = "Lower maxOpen here or in another process, or raise the limit of leases.";

    private final String name;
    private final CurrentSettings settings;
    private final Permits permits;
    private final @Nullable Leases leases;
    private final KeeperReports<T> reports;
    private volatile @Nullable Finding last;

    public NoConnectionMessage(String name, CurrentSettings settings, EngineSpi<T> spi, KeeperReports<T> reports) {
        this.name = name;
        this.settings = settings;
        this.permits = spi.permits();
        this.leases = spi.leases();
        this.reports = reports;
    }

    public NoConnectionException of(Why why, long waitedNanos, long nowNanos) {
        Finding finding = last;
        if (finding == null || finding.why != why || nowNanos - finding.atNanos > FRESH_NANOS) {
            Shortage<T> shortage = reports.shortage();
            Limit limit = limit(why, shortage, nowNanos);
            String text = "Limit reached: " + limit.inWords() + ". " + numbers(shortage.counts())
                    + holder(shortage.everyone(), nowNanos) + " " + limit.nextStep;
            finding = new Finding(why, nowNanos, text, limit.cause);
            last = finding;
        }
        String text = name + ": " + what(why, waitedNanos) + " " + finding.text;
        return new NoConnectionException(why, text, finding.cause);
    }

    /** The description of a limit. If foreign code fails to describe it, the checkout must still get its answer. */
    private static String described(Supplier<String> limit) {
        try {
            return limit.get();
        } catch (RuntimeException e) {
            return "a limit that could not be described (" + e.getClass().getName() + ")";
        }
    }

    private record Finding(
            Why why, long atNanos, String text, @Nullable Throwable cause) {}

    /**
     * The limit that stops the caller.
     *
     * @param name its name and numbers, before the words of the cause
     * @param cause the failed connect, if that stops the caller
     * @param afterCause the text after the words of the cause
     * @param nextStep a sentence that tells what the reader can do
     */
    private record Limit(String name, @Nullable Throwable cause, String afterCause, String nextStep) {
        Limit(String name, String nextStep) {
            this(name, null, "", nextStep);
        }

        String inWords() {
            Throwable failed = cause;
            return failed == null
                    ? name
                    : name + described(() -> Text.words(failed)).replaceFirst("\\.$", "") + afterCause;
        }
    }

    /** The exception for checkouts after the close. */
    public NoConnectionException closed() {
        return new NoConnectionException(Why.CLOSED, name + ": the reservoir is closed.", null);
    }

    /** The exception for a thread that was interrupted while it waited. */
    public InterruptedException interrupted() {
        return new InterruptedException(name + ": interrupted while waiting for a connection");
    }

    private static String what(Why why, long waitedNanos) {
        return switch (why) {
            case TIMEOUT -> "no connection within " + Text.nanos(waitedNanos) + ".";
            case MISCONFIGURED -> "no connection was ever opened.";
            case EMPTY, QUEUE_FULL, CLOSED -> "no connection is ready.";
        };
    }

    private Limit limit(Why why, Shortage<T> shortage, long nowNanos) {
        Counts counts = shortage.counts();
        int maxOpen = counts.targets().maxOpen();
        if (why == Why.QUEUE_FULL) {
            return new Limit(
                    "waitersMax (" + settings.get().waitersMax() + ")", "Send less work, or raise waitersMax.");
        }
        if (counts.paused()) {
            return new Limit("the reservoir is paused", "Call resume().");
        }
        if (counts.size() >= maxOpen) {
            return counts.overflow() > 0
                    ? new Limit(
                            "maxOpen (" + maxOpen + ") and overflowMax ("
                                    + settings.get().overflowMax() + ")",
                            "Release connections sooner, or raise maxOpen or overflowMax.")
                    : new Limit("maxOpen (" + maxOpen + ")", "Release connections sooner, or raise maxOpen.");
        }
        Failure failure = shortage.lastFailure();
        if (failure != null) {
            return failed(failure, shortage, nowNanos);
        }
        if (counts.waitingForLease() > 0) {
            return new Limit(leasesInWords(), MORE_LEASES);
        }
        if (counts.waitingForPermit() > 0) {
            return new Limit(rateInWords(), MORE_PERMITS);
        }
        if (counts.opening() == 0 && counts.openStill() > 0) {
            return new Limit("maxOpen (" + maxOpen + "), " + counts.openStill() + " being closed", "Try again soon.");
        }
        return new Limit(
                "none of the pool's; connects under way have not finished",
                "Wait longer, or look at how long a connect takes.");
    }

    private String rateInWords() {
        return described(permits::describe);
    }

    private String leasesInWords() {
        return leases == null ? "" : described(leases::describe);
    }

    /** Describes failing connects: what that means, how often they failed, and when the next attempt begins. */
    private Limit failed(Failure failure, Shortage<T> shortage, long nowNanos) {
        int times = shortage.failuresInARow();
        long pauseNanos = shortage.pauseUntilNanos() - nowNanos;
        String howOften = (times > 1 ? ", " + times + " times in a row" : "") + ", next try "
                + (pauseNanos > 0 ? "in " + Text.nanos(pauseNanos) : "under way");
        String what = switch (failure.reason()) {
            case RATE_LIMIT -> rateInWords() + "; no permit was given: ";
            case LEASE_ACQUIRE -> leasesInWords() + "; no lease was given: ";
            case TOKEN_PROVIDER -> "none of the pool's; the source of credentials gives none: ";
            case CONNECT -> "none of the pool's; connects to the database fail: ";
            case CONNECT_TIMEOUT -> "none of the pool's; the database does not answer connects: ";
            case AUTHENTICATION -> "none of the pool's; the database refuses the login: ";
            case UNKNOWN_HOST -> "none of the pool's; the host of the database is unknown: ";
            case UNKNOWN_DATABASE -> "none of the pool's; the server has no such database: ";
            case SERVER_RATE -> "the database's limit on new connections: ";
            case SERVER_FULL -> "the database's limit on open connections: ";
        };
        return new Limit(what, failure.cause(), howOften, nextStep(failure.reason()));
    }

    private static String nextStep(OpenFailureReason reason) {
        return switch (reason) {
            case RATE_LIMIT -> MORE_PERMITS;
            case LEASE_ACQUIRE -> MORE_LEASES;
            case TOKEN_PROVIDER -> "Check the source of credentials.";
            case CONNECT -> "Check that the database runs, and the host, port and TLS settings.";
            case CONNECT_TIMEOUT -> "Check the network and the firewalls on the way to the database, and its load.";
            case AUTHENTICATION -> "Check the user, the password or token, and the server's rules for logins.";
            case UNKNOWN_HOST -> "Check the host name in the URL, and the name service (DNS).";
            case UNKNOWN_DATABASE -> "Check the name of the database in the URL, or create the database.";
            case SERVER_RATE -> "Lower the rate of connects here or in another process, or raise the database's limit.";
            case SERVER_FULL -> "Lower maxOpen here or in another process, or raise the database's limit.";
        };
    }

    private static String numbers(Counts counts) {
        return "In use " + counts.inUse() + " of " + counts.targets().maxOpen() + ", ready " + counts.ready()
                + ", validating " + counts.validating() + ", opening " + counts.opening()
                + (counts.overflow() > 0 ? ", overflow " + counts.overflow() : "") + ", waiting " + counts.waiting()
                + ".";
    }

    private static <T> String holder(List<Entry<T>> everyone, long nowNanos) {
        List<InUseReport> checkouts = Holders.of(everyone, nowNanos, 0);
        return checkouts.isEmpty() ? "" : " Longest in use: " + checkouts.get(0).describe() + ".";
    }
}
