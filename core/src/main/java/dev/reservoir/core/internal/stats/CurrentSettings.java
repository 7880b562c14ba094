package dev.reservoir.core.internal.stats;

import dev.reservoir.core.Settings;

/**
 * Holds the settings in force. They can be replaced as a whole while the reservoir runs. A reader sees either the old
 * or the new ones.
 */
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
