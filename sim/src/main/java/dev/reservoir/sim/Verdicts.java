package dev.reservoir.sim;

import dev.reservoir.core.util.Text;
import dev.reservoir.sim.result.Outcome.Second;
import dev.reservoir.sim.result.Outcome.Verdict;
import dev.reservoir.sim.result.Outcome.Waits;
import dev.reservoir.sim.result.Sample;
import dev.reservoir.sim.scenario.Key;
import dev.reservoir.sim.scenario.Scenario;
import dev.reservoir.sim.scenario.ScenarioKeys;
import dev.reservoir.sim.world.Fleet;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether each expectation of a scenario holds, and names the figure that decided it. Never changes the fleet.
 */
final class Verdicts {
    private final Scenario.Expected expected;
    private final Fleet fleet;
    private final List<Second> seconds;
    private final List<Sample> last;
    private final List<Verdict> verdicts = new ArrayList<>();

    Verdicts(Scenario scenario, Fleet fleet, List<Second> seconds, List<Sample> samples) {
        this.expected = scenario.expected();
        this.fleet = fleet;
        this.seconds = seconds;
        this.last = samples.subList(samples.size() - scenario.services().size(), samples.size());
    }

    List<Verdict> judge(long convergedAtNanos) {
        converged(convergedAtNanos);
        perSecond(ScenarioKeys.MAX_CONNECTS_PER_SEC, expected.maxConnectsPerSec(), "connects", Second::connects);
        perSecond(ScenarioKeys.MAX_CLOSURE_PER_SEC, expected.maxClosurePerSec(), "closed", Second::closures);
        perSecond(ScenarioKeys.MAX_OPEN_CONNECTIONS, expected.maxOpenConnections(), "open", Second::openMost);
        if (expected.zeroEmptyEvents()) {
            most(ScenarioKeys.ZERO_EMPTY_EVENTS, 0L, "checkouts found nothing ready", sum(Sample::emptyEvents));
        }
        most(ScenarioKeys.MAX_TIMEOUTS, expected.maxTimeouts(), "checkouts got nothing", sum(Sample::timeouts));
        most(
                ScenarioKeys.MAX_REFUSED_CONNECTS,
                expected.maxRefusedConnects(),
                "connects refused",
                sum(Sample::refused));
        Waits waits = fleet.waits();
        atMost(ScenarioKeys.MAX_WAIT_P999, expected.maxWaitP999(), waits.p999Nanos());
        atMost(ScenarioKeys.MAX_WAIT, expected.maxWait(), waits.maxNanos());
        usableShare();
        leases();
        return List.copyOf(verdicts);
    }

    private long sum(ToLongFunction<Sample> number) {
        return last.stream().mapToLong(number).sum();
    }

    private void add(Key<?, ?> key, boolean holds, String wanted, String found) {
        verdicts.add(new Verdict(key.name(), holds, wanted, found));
    }

    private void converged(long atNanos) {
        Duration within = expected.convergeWithin();
        Duration stableFor = expected.stableFor();
        if (within == null) {
            if (stableFor != null) {
                String wanted = "every service at its target for " + Text.nanos(stableFor.toNanos()) + " on end";
                add(
                        ScenarioKeys.STABLE_FOR,
                        atNanos >= 0,
                        wanted,
                        atNanos < 0 ? neverConverged() : "from " + seconds(atNanos) + " on");
            }
            return;
        }
        String wanted = "every service at its target within " + Text.nanos(within.toNanos());
        if (stableFor != null) {
            wanted += ", and still " + Text.nanos(stableFor.toNanos()) + " later";
        }
        boolean holds = atNanos >= 0 && atNanos <= within.toNanos();
        add(ScenarioKeys.CONVERGE_WITHIN, holds, wanted, atNanos < 0 ? neverConverged() : seconds(atNanos));
    }

    private String neverConverged() {
        Sample worst = last.get(0);
        for (Sample sample : last) {
            if (sample.usable() - sample.target() < worst.usable() - worst.target()) {
                worst = sample;
            }
        }
        return "never; at the end " + worst.service() + " had " + worst.usable() + " of " + worst.target();
    }

    private static String seconds(long nanos) {
        return decimal(nanos / 1e9, 2) + " s";
    }

    /**
     * Formats a number with the same digits on every version of Java. The text of a double differs between versions.
     */
    private static String decimal(double value, int places) {
        return new BigDecimal(value).setScale(places, RoundingMode.HALF_UP).toPlainString();
    }

    private void perSecond(Key<?, ?> key, @Nullable Integer most, String what, ToIntFunction<Second> number) {
        if (most == null) {
            return;
        }
        int found = 0;
        int when = 0;
        for (int i = 0; i < seconds.size(); i++) {
            int here = number.applyAsInt(seconds.get(i));
            if (here > found) {
                found = here;
                when = i;
            }
        }
        add(key, found <= most, "at most " + most, found + " " + what + " in second " + when);
    }

    private void most(Key<?, ?> key, @Nullable Long most, String what, long found) {
        if (most != null) {
            add(key, found <= most, most == 0 ? "none" : "at most " + most, found + " " + what);
        }
    }

    private void atMost(Key<?, ?> key, @Nullable Duration most, long foundNanos) {
        if (most != null) {
            String wanted = "at most " + Text.nanos(most.toNanos());
            add(key, foundNanos <= most.toNanos(), wanted, Text.nanos(foundNanos));
        }
    }

    private void usableShare() {
        Double least = expected.minUsableShare();
        if (least == null) {
            return;
        }
        Fleet.Smallest smallest = fleet.smallestShare();
        String wanted = "at least " + decimal(100 * least, 1) + " % of the target";
        if (smallest == null) {
            add(ScenarioKeys.MIN_USABLE_SHARE, false, wanted, "no process ever had its target");
            return;
        }
        String found = decimal(100 * smallest.share(), 1) + " %";
        if (!smallest.service().isEmpty()) {
            found += ", " + smallest.service() + " at " + seconds(smallest.atNanos());
        }
        add(ScenarioKeys.MIN_USABLE_SHARE, smallest.share() >= least, wanted, found);
    }

    private void leases() {
        if (expected.leasesMatchConnections()) {
            Fleet.Match match = fleet.leases();
            add(ScenarioKeys.LEASES_MATCH_CONNECTIONS, match.holds(), match.expected(), match.found());
        }
    }

    /**
     * The verdict on the engine's promises. {@code broken} describes the first broken promise; null if all were kept.
     */
    static Verdict promises(@Nullable String broken) {
        String found = broken == null ? "all kept, checked after every event" : broken;
        return new Verdict(ScenarioKeys.PROMISES_KEPT.name(), broken == null, "no promise of the engine broken", found);
    }
}
