package dev.reservoir.demo.fault;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The faults that the demo can inject. */
public enum Fault {
    MASS_DROP("Mass drop", "Drops every open connection of both sides at once, without a message.", null),
    RATE_SQUEEZE(
            "Rate squeeze",
            "For 20 s both databases accept one new connection every two seconds, instead of five a second.",
            Duration.ofSeconds(20)),
    TOKEN_TROUBLE(
            "Token trouble",
            "For 20 s both databases refuse every token, so no new connection can be opened.",
            Duration.ofSeconds(20)),
    COORDINATOR_OUTAGE(
            "Coordinator outage",
            "For 20 s DynamoDB does not answer the reservoirs. HikariCP does not use it, so nothing changes there.",
            Duration.ofSeconds(20)),
    SERVICE_CRASH(
            "Crash of a service",
            "Kills one service on each side; it starts again after 5 s. The dead service releases nothing; the others take"
                    + " its leases back after 15 s.",
            null);

    /** New connections per second during {@link #RATE_SQUEEZE}. */
    static final double SQUEEZED_PER_SECOND = 0.5;

    private final String title;
    private final String description;
    private final Optional<Duration> length;

    Fault(String title, String description, @Nullable Duration length) {
        this.title = title;
        this.description = description;
        this.length = Optional.ofNullable(length);
    }

    /** The constant in URLs and in JSON, such as {@code mass-drop}. */
    public String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public String title() {
        return title;
    }

    /** One sentence that says what the fault does. */
    public String description() {
        return description;
    }

    /** Returns how long the fault lasts. Empty if it ends when both sides have recovered. */
    Optional<Duration> length() {
        return length;
    }

    public static Optional<Fault> named(String id) {
        return Arrays.stream(values()).filter(fault -> fault.id().equals(id)).findFirst();
    }
}
