package dev.reservoir.core.internal.stats;

import dev.reservoir.core.Settings;

/** The settings in force. They can be replaced as a whole while the reservoir runs; readers see the old or the new ones. */
public final class CurrentSettings {
    private volatile Settings value;

    public CurrentSettings(Settings value) {
        this.value = value;
    }

    public Settings get() {
        return value;
    }

    public void set(Settings replacement) {
        value = replacement;
    }
}
