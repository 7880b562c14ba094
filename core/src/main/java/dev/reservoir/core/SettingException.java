package dev.reservoir.core;

import dev.reservoir.core.util.DurationText;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A setting was rejected. Carries the name of the setting, the value and what is allowed, and its message holds all
 * three. A caller must not pass a secret as the value.
 */
public final class SettingException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final String key;
    private final @Nullable String value;
    private final String allowed;

    /**
     * A value that is not allowed.
     *
     * @param value shown by its {@code toString}; a duration is shown as in {@code 11m0s}
     * @param allowed what is allowed instead, such as {@code 1 to 100}
     */
    public SettingException(String key, Object value, String allowed) {
        this(key, value, allowed, null);
    }

    /** A value that is not allowed because of another error. */
    public SettingException(String key, Object value, String allowed, @Nullable Throwable cause) {
        this(
                key,
                value instanceof Duration duration ? DurationText.format(duration) : value.toString(),
                cause,
                allowed);
    }

    private SettingException(String key, @Nullable String value, @Nullable Throwable cause, String allowed) {
        super(key + " is " + (value == null ? "missing" : value) + "; allowed: " + allowed, cause);
        this.key = key;
        this.value = value;
        this.allowed = allowed;
    }

    /** A setting that was not given and is required. */
    public static SettingException missing(String key, String allowed) {
        return new SettingException(key, null, null, allowed);
    }

    /** A text that is not allowed. The message shows it in quotes. */
    public static SettingException unreadable(String key, String text, String allowed) {
        return new SettingException(key, "\"" + text + "\"", allowed);
    }

    /** The same rejection under another name for the setting, such as the environment variable that set it. */
    public SettingException named(String name) {
        return name.equals(key) ? this : new SettingException(name, value, this, allowed);
    }

    /** The name of the setting, as the user gave it. */
    public String key() {
        return key;
    }

    /** The rejected value as text, or null if the setting is missing. */
    public @Nullable String value() {
        return value;
    }

    /** The values that are allowed, in words, such as {@code 1 to 100}. */
    public String allowed() {
        return allowed;
    }
}
