package dev.reservoir.sim.report;

import dev.reservoir.core.util.Text;
import dev.reservoir.sim.result.Outcome;
import dev.reservoir.sim.scenario.Scenario;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Describes the settings of a scenario in a few words each. */
final class Facts {
    private Facts() {}

    static Map<String, String> of(Outcome outcome) {
        Scenario scenario = outcome.scenario();
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("Scenario", scenario.name());
        facts.put("Pool", outcome.pool().label());
        facts.put("Seed", Long.toString(scenario.seed()));
        facts.put("Duration", text(scenario.duration()) + ", sampled every " + text(scenario.sampleEvery()));
        facts.put("Fleet", fleet(scenario));
        facts.put("Limiter", limiter(scenario.limiter()));
        facts.put("Database", database(scenario.database()));
        facts.put("Connect takes", scenario.database().handshake().toString());
        facts.put("Events run", count(outcome.events()));
        return facts;
    }

    private static String fleet(Scenario scenario) {
        long processes = scenario.services().stream()
                .mapToLong(Scenario.Service::instances)
                .sum();
        long target =
                scenario.services().stream().mapToLong(Scenario.Service::target).sum();
        return number(scenario.services().size(), "service", "services") + ", "
                + number(processes, "process", "processes") + ", "
                + number(target, "connection", "connections") + " as target";
    }

    private static String limiter(Scenario.Limiter limiter) {
        String rate = Text.perSecond(limiter.perSecond()) + ", burst " + count(limiter.burst());
        return switch (limiter.sharing()) {
            case SHARED -> rate + ", shared by the fleet";
            case LOCAL -> rate + ", in each process by itself";
            case NONE -> "none";
        };
    }

    private static String database(Scenario.Database database) {
        List<String> limits = new ArrayList<>();
        if (database.ratePerSecond() > 0) {
            limits.add(Text.perSecond(database.ratePerSecond()) + ", burst " + count(database.burst()));
        }
        if (database.cap() > 0) {
            limits.add("at most " + count(database.cap()) + " open");
        }
        if (!database.maxAge().isZero()) {
            limits.add("none older than " + text(database.maxAge()));
        }
        return limits.isEmpty() ? "no limits" : String.join(", ", limits);
    }

    private static String text(Duration duration) {
        return Text.nanos(duration.toNanos());
    }

    private static String number(long count, String one, String many) {
        return count(count) + " " + (count == 1 ? one : many);
    }

    private static String count(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }
}
