package dev.reservoir.emulator.internal.gateway;

import dev.reservoir.emulator.internal.conflict.Contender;
import dev.reservoir.emulator.internal.conflict.WriteTransaction;
import dev.reservoir.emulator.internal.gateway.SessionState.Wait;
import dev.reservoir.emulator.internal.sql.Statement.Kind;
import dev.reservoir.pgwire.PgError;
import io.netty.channel.Channel;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Resolves the waits of a session for the locks of others, and of others for its locks: cancels its statement, or frees
 * its locks. Acts only on what the {@link LockMonitor} reports. Used only on the client's event loop, except where a
 * comment says otherwise.
 */
final class LockConflicts {
    /**
     * Longest wait of a statement for a lock, after which it conflicts. Reached only if the holder of the lock cannot
     * be moved away: during a COPY, during a long statement, or because it bypasses the emulator.
     */
    private static final long LOCK_WAIT_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Shortest time between two cancel requests. Within this time the server acts on a request or has missed it. */
    private static final long CANCEL_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final ClientSession session;
    private final Channel channel;
    private final SessionState state;
    private final TransactionTracker tracker;

    /** Time before which no further cancel request is sent, so that it does not hit the next statement. */
    private long cancelAgainNanos = System.nanoTime();

    LockConflicts(ClientSession session) {
        this.session = session;
        channel = session.client.channel;
        state = session.state;
        tracker = session.tracker;
    }

    /** Reports that the request that began at that time waits for a lock. Any thread may call it. */
    void onBlocked(long sinceNanos, LockMonitor.Blockers blockers) {
        channel.eventLoop().execute(() -> {
            if (state.busySinceNanos != sinceNanos || !channel.isActive()) {
                return;
            }
            if (System.nanoTime() - sinceNanos > LOCK_WAIT_NANOS) {
                cancel();
            } else if (blockers.known()) {
                blocked(blockers.holders());
                if (session.running.kind() == Kind.DDL) {
                    blockers.sessions().forEach(other -> other.locks.endForSchemaChange(blockers.askedNanos()));
                }
            }
        });
    }

    /**
     * Cancels the blocked statement, except in two cases, in which the blocking transactions free their locks instead.
     * One is a COMMIT. The other is a statement of a transaction that cannot be repeated, if the blocking transactions
     * can.
     */
    private void blocked(List<LockMonitor.Holder> holders) {
        WriteTransaction open = state.writing;
        if (open != null) {
            holders.forEach(holder -> session.emulation.conflictsMet.met(open.contender, holder.contender()));
        }
        boolean stays = open == null
                || open.isCommitting()
                || (state.wait == Wait.EXECUTE
                        && open.contender.isUnique()
                        && !holders.isEmpty()
                        && holders.stream()
                                .noneMatch(holder -> holder.contender().isUnique()));
        if (stays) {
            holders.forEach(holder -> holder.session().locks.requestRelease(holder.contender()));
        } else {
            cancel();
        }
    }

    private void cancel() {
        if (!state.cancelling && System.nanoTime() - cancelAgainNanos > 0) {
            state.cancelling = true;
            state.cancelled = true;
            cancelAgainNanos = System.nanoTime() + CANCEL_PAUSE_NANOS;
            session.cancelStatement(() -> {
                state.cancelling = false;
                session.pump();
            });
        }
    }

    /** Another transaction needs the locks of this one. Any thread may call it. */
    private void requestRelease(Contender asked) {
        channel.eventLoop().execute(() -> {
            WriteTransaction open = state.writing;
            boolean can = open != null
                    && open.contender == asked
                    && open.isOnServer()
                    && !open.isCommitting()
                    && !tracker.isFailed();
            if (can) {
                state.locksRequested = true;
                session.pump();
            }
        });
    }

    /** Frees the locks as soon as the session is between two messages of the client. */
    void release() {
        WriteTransaction open = state.writing;
        if (open == null || !open.isOnServer() || tracker.isFailed()) {
            state.locksRequested = false;
        } else if (state.wait == Wait.NOTHING && !state.cancelling && !state.copying && state.owed == 0) {
            state.locksRequested = false;
            state.wait = Wait.OWN;
            open.leaveServer(() -> {
                state.wait = Wait.NOTHING;
                state.notBusy();
                session.pump();
            });
        }
    }

    /**
     * Another transaction changes a table that this one has used. This one cannot go on after that change is committed,
     * so it is ended as soon as its client is idle. Any thread may call it.
     */
    private void endForSchemaChange(long askedNanos) {
        channel.eventLoop().execute(() -> {
            WriteTransaction open = state.writing;
            boolean idle = session.isIdle() && !state.cancelling && !state.locksRequested;
            boolean canRelease = open != null && open.isOnServer() && !tracker.isFailed();
            if (!idle || canRelease || !tracker.isExplicit() || state.begunNanos - askedNanos > 0) {
                return;
            }
            PgError why = tracker.isFailed() ? null : TransactionTracker.SCHEMA_CHANGED;
            if (open == null) {
                session.statements.end(why);
            } else {
                state.wait = Wait.OWN;
                open.abandon(() -> session.statements.end(why));
            }
        });
    }
}
