package dev.reservoir.pgwire.server;

import dev.reservoir.pgwire.channel.Channels;
import io.netty.channel.Channel;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Notices that a session has been idle too long. Used only on the event loop. */
final class IdleTimer {
    private final Channel channel;
    private final Duration timeout;
    private final BooleanSupplier isWorking;
    private final Runnable whenIdle;
    private long activeNanos;

    /**
     * A timer that is not started.
     *
     * @param isWorking whether the session is not idle now, whatever its client does
     */
    IdleTimer(Channel channel, Duration timeout, BooleanSupplier isWorking, Runnable whenIdle) {
        this.channel = channel;
        this.timeout = timeout;
        this.isWorking = isWorking;
        this.whenIdle = whenIdle;
    }

    void start() {
        active();
        check();
    }

    /** The client has sent or read something, or a statement has ended. */
    void active() {
        activeNanos = System.nanoTime();
    }

    private void check() {
        Duration idle = isWorking.getAsBoolean() ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - activeNanos);
        Duration left = timeout.minus(idle);
        if (left.isNegative() || left.isZero()) {
            whenIdle.run();
        } else {
            Channels.later(channel, left, this::check);
        }
    }
}
