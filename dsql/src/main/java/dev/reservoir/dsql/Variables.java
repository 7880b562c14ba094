package dev.reservoir.dsql;

import dev.reservoir.core.DurationParser;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Environment variables of a DSQL client. An empty one counts as not set; what cannot be read is refused with its name, its value and
 * what is allowed. Those of a reservoir and of a cluster's budget are read by whoever makes these.
 */
final class Variables {
    static final String ENDPOINT = "CLUSTER_ENDPOINT";
    static final String USER = "CLUSTER_USER";
    static final String TOKEN_DURATION = "DSQL_TOKEN_DURATION";
    static final String ENABLED = "DSQL_RESERVOIR_ENABLED";
    static final String RATE = "DSQL_CONNECTION_RATE_LIMIT";
    static final String BURST = "DSQL_CONNECTION_BURST_LIMIT";
    static final String STAGGERED = "DSQL_STAGGERED_STARTUP";
    static final String STAGGERED_MAX = "DSQL_STAGGERED_STARTUP_MAX_DELAY";
    static final String CLUSTER_RATE = "DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED";
    static final String CLUSTER_COUNT = "DSQL_DISTRIBUTED_CONN_LEASE_ENABLED";

    private static final List<String> REGIONS = List.of("REGION", "AWS_REGION");
    private static final List<String> SIZES = List.of("DSQL_RESERVOIR_TARGET_READY", "DSQL_RESERVOIR_LOW_WATERMARK");
    private static final Duration STAGGERED_MAX_DEFAULT = Duration.ofSeconds(5);
    private static final Duration DAY = Duration.ofDays(1);

    private final Map<String, String> all;

    Variables(Map<String, String> all) {
        this.all = Map.copyOf(all);
    }

    /** All of them, with the cluster's host and nothing else for its endpoint: the name by which a budget is shared. */
    Map<String, String> withEndpoint(String host) {
        Map<String, String> same = new HashMap<>(all);
        same.put(ENDPOINT, host);
        return same;
    }

    /** The same without the one that asks for leases, which only a reservoir takes. */
    Map<String, String> withoutLeases() {
        Map<String, String> some = new HashMap<>(all);
        some.remove(CLUSTER_COUNT);
        return some;
    }

    /** Its value, or null if it is not set. */
    @Nullable
    String text(String variable) {
        String text = all.getOrDefault(variable, "").strip();
        return text.isEmpty() ? null : text;
    }

    @Nullable
    String region() {
        for (String variable : REGIONS) {
            String region = text(variable);
            if (region != null) {
                return region;
            }
        }
        return null;
    }

    /** How many connections a reservoir must be allowed to hold what is asked for here; 0 if nothing is, or not by a number. */
    int size() {
        return SIZES.stream()
                .map(this::text)
                .filter(text -> text != null && text.matches("[0-9]{1,9}"))
                .mapToInt(Integer::parseInt)
                .max()
                .orElse(0);
    }

    /** Anything but a clear yes is a no. */
    boolean isReservoirMode() {
        return Boolean.TRUE.equals(asBoolean(all.getOrDefault(ENABLED, "")));
    }

    boolean isOn(String variable) {
        return Boolean.TRUE.equals(asBoolean(all.getOrDefault(variable, "")));
    }

    /** Seconds, or a duration with its unit. */
    @Nullable
    Duration tokenDuration() {
        String text = text(TOKEN_DURATION);
        return text == null ? null : tokenDuration(TOKEN_DURATION, text);
    }

    /** The same for a text of any name. */
    static Duration tokenDuration(String givenAs, String text) {
        Duration duration =
                text.matches("[0-9]{1,9}") ? Duration.ofSeconds(Long.parseLong(text)) : DurationParser.parse(text);
        if (duration == null) {
            throw refused(givenAs, text, "seconds, or a duration such as 15m or 1h; from 1s to 168h");
        }
        return DsqlTokens.check(givenAs, duration);
    }

    double ratePerSecond(double byDefault) {
        String text = text(RATE);
        if (text == null) {
            return byDefault;
        }
        try {
            double rate = Double.parseDouble(text);
            if (rate > 0 && Double.isFinite(rate)) {
                return rate;
            }
        } catch (NumberFormatException e) {
            throw refused(RATE, text, "a number");
        }
        throw refused(RATE, text, "more than 0");
    }

    int burst(int byDefault) {
        String text = text(BURST);
        if (text == null) {
            return byDefault;
        }
        try {
            int burst = Integer.parseInt(text);
            if (burst >= 1) {
                return burst;
            }
        } catch (NumberFormatException e) {
            throw refused(BURST, text, "a whole number");
        }
        throw refused(BURST, text, "1 or more");
    }

    /** How long the first connect waits at most, so that many processes do not start together. */
    Duration startDelayMax() {
        String text = text(STAGGERED);
        Boolean staggered = text == null ? Boolean.TRUE : asBoolean(text);
        if (staggered == null) {
            throw refused(STAGGERED, String.valueOf(text), "true or false");
        }
        String max = text(STAGGERED_MAX);
        Duration most = max == null ? STAGGERED_MAX_DEFAULT : DurationParser.parse(max);
        if (most == null || most.isNegative() || most.compareTo(DAY) > 0) {
            throw refused(STAGGERED_MAX, String.valueOf(max), "a duration such as 5s, up to 24h");
        }
        return staggered ? most : Duration.ZERO;
    }

    /** As Go reads them; null if it is neither. */
    private static @Nullable Boolean asBoolean(String text) {
        return switch (text.strip()) {
            case "1", "t", "T", "true", "TRUE", "True" -> Boolean.TRUE;
            case "0", "f", "F", "false", "FALSE", "False" -> Boolean.FALSE;
            default -> null;
        };
    }

    private static IllegalArgumentException refused(String variable, String text, String allowed) {
        return new IllegalArgumentException(variable + " is \"" + text + "\"; allowed: " + allowed);
    }
}
