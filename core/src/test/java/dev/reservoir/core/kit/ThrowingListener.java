package dev.reservoir.core.kit;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.Pooled;
import dev.reservoir.core.spi.Listener;

/** Throws at every third event. */
public final class ThrowingListener implements Listener<Wire> {
    private final boolean throwsErrors;
    private int heard;

    /** Throws errors if {@code throwsErrors} is set, otherwise exceptions. */
    public ThrowingListener(boolean throwsErrors) {
        this.throwsErrors = throwsErrors;
    }

    private void fail() {
        if (++heard % 3 == 0) {
            if (throwsErrors) {
                throw new AssertionError("scripted");
            }
            throw new IllegalStateException("scripted");
        }
    }

    @Override
    public boolean wantsCheckouts() {
        return true;
    }

    @Override
    public void opened(Pooled<Wire> connection, long openNanos) {
        fail();
    }

    @Override
    public void acquired(Pooled<Wire> connection) {
        fail();
    }

    @Override
    public void released(Pooled<Wire> connection) {
        fail();
    }

    @Override
    public void discarded(Pooled<Wire> connection, DiscardReason reason, long remainingNanos) {
        fail();
    }

    @Override
    public void closed(Pooled<Wire> connection, boolean leaseReleased) {
        fail();
    }

    @Override
    public void openFailed(OpenFailureReason reason, Throwable cause, int failuresInARow) {
        fail();
    }

    @Override
    public void empty() {
        fail();
    }

    @Override
    public void waitBegan() {
        fail();
    }

    @Override
    public void waitEnded(long waitedNanos, boolean served) {
        fail();
    }
}
