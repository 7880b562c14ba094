package dev.reservoir.core.internal.keeper;

import dev.reservoir.core.Targets;

/** The requests of callers to the keeper that stay in force. Guarded by its lock. */
final class KeeperState {
    Targets targets;
    boolean paused;

    /** Runs without the lock when the first connect shows that the settings are wrong. Set before the start. */
    Runnable whenMisconfigured = () -> {};

    KeeperState(Targets targets) {
        this.targets = targets;
    }
}
