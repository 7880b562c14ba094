package dev.reservoir.sim.world;

import dev.reservoir.core.spi.Time;
import dev.reservoir.sim.scenario.Scenario;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The token of one process. Fetches it when it is first needed, and again when it is needed shortly before its expiry.
 * Never runs two fetches at the same time.
 */
final class TokenCache {
    private static final CompletableFuture<Boolean> GOOD = CompletableFuture.completedFuture(true);

    private final Fleet fleet;
    private final Time time;
    private final Scenario.Tokens settings;
    private final RandomGenerator random;
    private long goodUntilNanos = Long.MIN_VALUE;
    private @Nullable CompletableFuture<Boolean> fetching;

    TokenCache(Fleet fleet, Time time, RandomGenerator random) {
        this.fleet = fleet;
        this.time = time;
        this.settings = fleet.scenario.tokens();
        this.random = random;
    }

    /** Completes with true when there is a valid token, and with false if the fetch got none. Does not block. */
    CompletableFuture<Boolean> current() {
        if (settings.lifetime().isZero()) {
            return GOOD;
        }
        long now = time.nanos();
        boolean good = now < goodUntilNanos;
        if (good && now < goodUntilNanos - settings.renewBefore().toNanos()) {
            return GOOD;
        }
        CompletableFuture<Boolean> fetch = fetch();
        return good ? GOOD : fetch;
    }

    private CompletableFuture<Boolean> fetch() {
        CompletableFuture<Boolean> running = fetching;
        if (running != null) {
            return running;
        }
        CompletableFuture<Boolean> mine = new CompletableFuture<>();
        fetching = mine;
        time.schedule(settings.fetch().draw(random), () -> {
            fetching = null;
            if (!fleet.tokensAway) {
                goodUntilNanos = time.nanos() + settings.lifetime().toNanos();
            }
            mine.complete(time.nanos() < goodUntilNanos);
        });
        return mine;
    }
}
