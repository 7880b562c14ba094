package dev.reservoir.core.internal.stats;

import dev.reservoir.core.SettingException;
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

    /** Replaces the settings. Throws if one of them differs that is fixed when the reservoir is built. */
    public void replace(Settings replacement) {
        Settings present = value;
        requireSame("waitersMax", present.waitersMax(), replacement.waitersMax());
        requireSame("overtakingWindow", present.overtakingWindowNanos(), replacement.overtakingWindowNanos());
        requireSame("backoffBase", present.backoffBaseNanos(), replacement.backoffBaseNanos());
        requireSame("backoffMax", present.backoffMaxNanos(), replacement.backoffMaxNanos());
        requireSame("startDelayMax", present.startDelayMaxNanos(), replacement.startDelayMaxNanos());
        requireSame("tracksCheckouts", present.tracksCheckouts(), replacement.tracksCheckouts());
        requireSame("lanes", present.lanes(), replacement.lanes());
        value = replacement;
    }

    private static void requireSame(String key, Object present, Object replacement) {
        if (!present.equals(replacement)) {
            throw new SettingException(
                    key, replacement, present + ", because it cannot be changed while the reservoir runs");
        }
    }
}
