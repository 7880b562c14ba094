package dev.reservoir.emulator;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;

/** A clock that stands still until it is moved. */
final class MovableClock implements InstantSource {
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-16T12:00:00Z"));

    @Override
    public Instant instant() {
        return now.get();
    }

    void pass(Duration time) {
        now.updateAndGet(before -> before.plus(time));
    }
}
