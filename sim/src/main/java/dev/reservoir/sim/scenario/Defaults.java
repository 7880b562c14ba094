package dev.reservoir.sim.scenario;

import dev.reservoir.core.RefillPacing;
import dev.reservoir.sim.scenario.Scenario.Arrival;
import dev.reservoir.sim.scenario.Scenario.Coordinator;
import dev.reservoir.sim.scenario.Scenario.Database;
import dev.reservoir.sim.scenario.Scenario.FaultKind;
import dev.reservoir.sim.scenario.Scenario.Limiter;
import dev.reservoir.sim.scenario.Scenario.Pool;
import dev.reservoir.sim.scenario.Scenario.Sharing;
import dev.reservoir.sim.scenario.Scenario.Tokens;
import dev.reservoir.sim.scenario.Scenario.WhenAway;
import dev.reservoir.sim.scenario.Scenario.Workload;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The default values of a scenario file, and the words that stand for its choices. */
final class Defaults {
    static final long SEED = 42;
    static final String ENDPOINT = "cluster.dsql.eu-west-1.on.aws";
    static final Duration DURATION = Duration.ofMinutes(20);
    static final Duration SAMPLE_EVERY = Duration.ofSeconds(1);
    static final Limiter LIMITER = new Limiter(100, 1, Sharing.SHARED);
    static final Coordinator COORDINATOR =
            new Coordinator(Latency.fixed(Duration.ZERO), 0, Duration.ofSeconds(60), WhenAway.LOCAL_SHARE);
    static final Database DATABASE = new Database(
            0,
            0,
            0,
            Duration.ofMinutes(60),
            Latency.fixed(Duration.ofMillis(30)),
            Latency.fixed(Duration.ofMillis(1)),
            Duration.ZERO);
    static final Tokens TOKENS = new Tokens(Duration.ZERO, Duration.ofMinutes(1), Latency.fixed(Duration.ofMillis(50)));
    static final Pool POOL = new Pool(
            50,
            50,
            50,
            Duration.ofSeconds(45),
            Duration.ofMinutes(11),
            Duration.ofMinutes(2),
            Duration.ofSeconds(10),
            100,
            -1,
            Duration.ofMinutes(2),
            RefillPacing.SMOOTH);
    static final Duration HOLD_TIME = Duration.ofMillis(10);
    static final Workload WORKLOAD = new Workload(
            Arrival.NONE,
            0,
            Duration.ofMillis(200),
            5,
            0,
            Duration.ZERO,
            0,
            List.of(),
            Latency.fixed(HOLD_TIME),
            Duration.ofSeconds(10),
            0);
    static final Duration CONVERGE_WITHIN = Duration.ofSeconds(60);
    private static final Duration STABLE_FOR = Duration.ofSeconds(5);
    static final int MAX_CLOSURE_PER_SEC = 200;

    static final Map<String, Sharing> SHARINGS = words(Sharing.values());
    static final Map<String, RefillPacing> REFILL_PACINGS = words(RefillPacing.values());
    static final Map<String, WhenAway> WHEN_AWAY = words(WhenAway.values());
    static final Map<String, FaultKind> FAULT_KINDS = words(FaultKind.values());
    static final Map<String, Arrival> ARRIVALS = arrivals();

    private Defaults() {}

    /** The most connects that a shared bucket lets start in one second. */
    static int maxConnectsPerSec(Limiter limiter) {
        return (int) Math.min(Integer.MAX_VALUE, Math.ceil(limiter.perSecond()) + limiter.burst() - 1);
    }

    static String kebab(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static <E extends Enum<E>> Map<String, E> words(E[] constants) {
        return words(constants, Defaults::kebab);
    }

    /** The constants of an enumeration by their words, in declaration order. */
    static <E extends Enum<E>> Map<String, E> words(E[] constants, Function<E, String> word) {
        Map<String, E> words = new LinkedHashMap<>();
        for (E constant : constants) {
            words.put(word.apply(constant), constant);
        }
        return words;
    }

    private static Map<String, Arrival> arrivals() {
        Map<String, Arrival> arrivals = words(Arrival.values());
        arrivals.remove(kebab(Arrival.NONE));
        return arrivals;
    }

    /**
     * The default time for which services must keep their targets; null if the scenario does not expect convergence.
     */
    static @Nullable Duration stableFor(@Nullable Duration convergeWithin) {
        return convergeWithin == null ? null : STABLE_FOR;
    }
}
