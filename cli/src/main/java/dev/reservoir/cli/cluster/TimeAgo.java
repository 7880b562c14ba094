package dev.reservoir.cli.cluster;

/** Formats time spans for people, in one or two units. */
final class TimeAgo {
    private static final long SECOND = 1_000;
    private static final long MINUTE = 60 * SECOND;
    private static final long HOUR = 60 * MINUTE;
    private static final long DAY = 24 * HOUR;

    private TimeAgo() {}

    /** Formats a time span: {@code 0 s}, {@code 41 s}, {@code 3 min}, {@code 2 h 5 min}, {@code 3 days}. */
    static String span(long millis) {
        if (millis < 2 * MINUTE) {
            return millis / SECOND + " s";
        }
        if (millis < HOUR) {
            return millis / MINUTE + " min";
        }
        if (millis < 2 * DAY) {
            long minutes = millis % HOUR / MINUTE;
            return millis / HOUR + " h" + (minutes == 0 ? "" : " " + minutes + " min");
        }
        return millis / DAY + " days";
    }

    /**
     * Formats the time since a moment; empty if the moment is unknown. A moment less than two seconds in the future
     * counts as now.
     */
    static String since(long thenMillis, long nowMillis) {
        if (thenMillis <= 0 || nowMillis <= 0) {
            return "";
        }
        long millis = nowMillis - thenMillis;
        return millis >= 0 || millis > -2 * SECOND ? span(Math.max(0, millis)) + " ago" : "in " + span(-millis);
    }
}
