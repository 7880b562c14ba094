package dev.reservoir.bench.dsql;

import dev.reservoir.bench.dsql.Emulated.Counted;
import dev.reservoir.bench.dsql.SoakJudge.Drop;
import dev.reservoir.testkit.FaultyProxy;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Causes faults, one at a time with pauses between them, as a seed decides. Records what the judge needs: when
 * connections were dropped, and how many connects were refused on purpose.
 */
final class SoakFaults {
    private static final double LOW_RATE = 0.5;
    private static final int LOW_BURST = 2;

    /** Time that the bucket needs after a low rate to hold as many tokens as the fleet assumes. */
    private static final Duration AFTER_LOW_RATE = Duration.ofSeconds(3);

    /** Time for a connect that had begun when the emulator accepted tokens again. */
    private static final Duration AFTER_TOKENS = Duration.ofSeconds(1);

    private final SplittableRandom random;
    private final Emulated database;
    private final SoakTable table;
    private final SoakFleet fleet;
    private final PrintStream out;
    private final Map<Kind, Integer> counts = new EnumMap<>(Kind.class);
    final List<Drop> drops = new ArrayList<>();

    /** Connects refused for their rate while the rate was low. */
    long refusedAtLowRate;

    long refusedTokens;
    private long dropped;

    private enum Kind {
        DROP,
        LOW_RATE,
        TOKENS,
        OUTAGE,
        KILL
    }

    SoakFaults(long seed, Emulated database, SoakTable table, SoakFleet fleet, PrintStream out) {
        this.random = new SplittableRandom(seed);
        this.database = database;
        this.table = table;
        this.fleet = fleet;
        this.out = out;
    }

    String summary() {
        return counts.toString().toLowerCase(Locale.ROOT).replace('_', ' ') + ", " + dropped + " connections dropped";
    }

    void run(Duration length) throws IOException, InterruptedException {
        long began = System.nanoTime();
        while (System.nanoTime() - began < length.toNanos()) {
            pause(4_000, 10_000);
            Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
            counts.merge(kind, 1, Integer::sum);
            out.printf(Locale.ROOT, "%4d s  ", (System.nanoTime() - began) / 1_000_000_000L);
            switch (kind) {
                case DROP -> drop();
                case LOW_RATE -> lowerRate();
                case TOKENS -> tokens();
                case OUTAGE -> outage();
                case KILL -> kill();
            }
        }
    }

    /** Pauses for a random time and returns it. */
    private long pause(long fromMillis, long toMillis) throws InterruptedException {
        long millis = random.nextLong(fromMillis, toMillis);
        Thread.sleep(millis);
        return millis;
    }

    private void drop() throws IOException, InterruptedException {
        double share = random.nextDouble(0.2, 0.6);
        long began = System.currentTimeMillis();
        int count = database.drop(share);
        drops.add(new Drop(began, System.currentTimeMillis()));
        dropped += count;
        out.printf(Locale.ROOT, "dropped %d connections%n", count);
    }

    private void lowerRate() throws IOException, InterruptedException {
        Counted before = database.counted();
        database.rate(LOW_RATE, LOW_BURST);
        long millis = pause(5_000, 12_000);
        database.rate(SoakCase.LIMITS.ratePerSecond(), SoakCase.LIMITS.burst());
        Thread.sleep(AFTER_LOW_RATE.toMillis());
        long refused = database.counted().refused() - before.refused();
        refusedAtLowRate += refused;
        out.printf(Locale.ROOT, "lowered the rate for %d ms, %d connects refused%n", millis, refused);
    }

    private void tokens() throws IOException, InterruptedException {
        Counted before = database.counted();
        database.refuseTokens(true);
        long millis = pause(3_000, 8_000);
        database.refuseTokens(false);
        Thread.sleep(AFTER_TOKENS.toMillis());
        long refused = database.counted().refusedByToken() - before.refusedByToken();
        refusedTokens += refused;
        out.printf(Locale.ROOT, "refused all tokens for %d ms, %d connects refused%n", millis, refused);
    }

    private void outage() throws InterruptedException {
        table.relay.all(FaultyProxy.Mode.REFUSE);
        long millis = pause(5_000, 12_000);
        table.relay.all(FaultyProxy.Mode.PASS);
        out.printf(Locale.ROOT, "cut off the table for %d ms%n", millis);
    }

    private void kill() throws IOException, InterruptedException {
        int index = random.nextInt(SoakFleet.PROCESSES);
        String name = fleet.kill(index);
        pause(1_000, 3_000);
        fleet.start(index);
        out.printf(Locale.ROOT, "killed %s and started another%n", name);
    }
}
