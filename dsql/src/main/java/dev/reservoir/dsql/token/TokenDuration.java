package dev.reservoir.dsql.token;

import dev.reservoir.core.SettingException;
import dev.reservoir.core.util.DurationParser;
import java.time.Duration;

/** How long the server accepts a token: the default and the allowed range. */
public final class TokenDuration {
    /** The same as AWS's default. */
    public static final Duration DEFAULT = Duration.ofMinutes(15);

    private static final Duration MIN = Duration.ofSeconds(1);
    private static final Duration MAX = Duration.ofDays(7);

    private TokenDuration() {}

    /**
     * Returns the duration if the server accepts it.
     *
     * @param givenAs the name of the setting, for the message
     * @throws SettingException if it is out of range
     */
    public static Duration check(String givenAs, Duration duration) {
        if (duration.compareTo(MIN) < 0 || duration.compareTo(MAX) > 0) {
            throw new SettingException(givenAs, duration.toMillis() / 1e3 + " s", "1 s to 604800 s (7 days)");
        }
        return duration;
    }

    /**
     * Parses a number of seconds, or a duration with its unit.
     *
     * @param givenAs the name of the setting, for the message
     * @throws SettingException if it cannot be parsed or is out of range
     */
    public static Duration parse(String givenAs, String text) {
        Duration duration =
                text.matches("[0-9]{1,9}") ? Duration.ofSeconds(Long.parseLong(text)) : DurationParser.parse(text);
        if (duration == null) {
            throw SettingException.unreadable(
                    givenAs, text, "seconds, or a duration such as 15m or 1h; from 1s to 168h");
        }
        return check(givenAs, duration);
    }
}
