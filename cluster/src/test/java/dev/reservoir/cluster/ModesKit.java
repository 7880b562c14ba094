package dev.reservoir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.cluster.model.ModelStore;
import dev.reservoir.cluster.model.ModelTable;
import dev.reservoir.cluster.protocol.ItemKeys;
import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Condition;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.StoreCounts;
import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.cluster.store.StoreException.Kind;
import dev.reservoir.cluster.store.Write;
import dev.reservoir.core.spi.Leases.Lease;
import dev.reservoir.core.spi.Permits.Permit;
import dev.reservoir.core.spi.Permits.Urgency;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.time.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One table on virtual time, with processes of ours and of Go around it, for the modes in which they count together.
 */
public final class ModesKit {
    public static final String ENDPOINT = "Orders.Example:5432";
    public static final String CLUSTER = "orders.example";

    /** The beginning of the keys that these processes share. */
    public static final String PREFIX = "go_";

    public static final String COUNTER = PREFIX + "lease_counter#" + ENDPOINT;
    public static final String LEASES = PREFIX + "lease#" + ENDPOINT + "#";
    public static final long BEGIN_SECONDS = 1_790_000_000L;
    public static final long SECOND = 1_000_000_000L;
    public static final long MILLI = 1_000_000L;
    public static final Duration LEASE = Duration.ofSeconds(60);

    public final VirtualTime time = new VirtualTime();
    public final ModelTable table = new ModelTable(() -> BEGIN_SECONDS + time.nanos() / SECOND);
    public final SplittableRandom random;
    public final List<OurProcess> ours = new ArrayList<>();
    final List<GoLeases> goes = new ArrayList<>();

    /** What was deleted or counted by hand, and is missing from the lease items or the counter for it. */
    public long meddled;

    public ModesKit(long seed) {
        random = new SplittableRandom(seed);
    }

    public Instant now() {
        return Instant.ofEpochSecond(BEGIN_SECONDS).plusNanos(time.nanos());
    }

    public long second() {
        return BEGIN_SECONDS + time.nanos() / SECOND;
    }

    public OurProcess byWindow(int limit, UnaryOperator<ClusterSettings.Builder> more) {
        return start(more.apply(
                settings(ENDPOINT).permitMode(PermitMode.WINDOW).leaseMode(null).ratePerSecond(limit)));
    }

    public OurProcess byWindow(int limit) {
        return byWindow(limit, it -> it);
    }

    public OurProcess byCounter(int limit, UnaryOperator<ClusterSettings.Builder> more) {
        return start(more.apply(
                settings(ENDPOINT).permitMode(null).leaseMode(LeaseMode.COUNTER).limit(limit)));
    }

    public OurProcess byCounter(int limit) {
        return byCounter(limit, it -> it);
    }

    public ClusterSettings.Builder settings(String endpoint) {
        return ClusterSettings.builder(endpoint)
                .serviceName("orders")
                .sharedKeyPrefix(PREFIX)
                .host("host-" + ours.size())
                .leaseTime(LEASE);
    }

    public OurProcess start(ClusterSettings.Builder settings) {
        return start(settings, Duration.ZERO);
    }

    public OurProcess start(ClusterSettings.Builder settings, Duration clockAhead) {
        OurProcess process = new OurProcess(settings.build(), clockAhead);
        ours.add(process);
        return process;
    }

    public void advance(Duration by) {
        time.advance(by.toNanos());
    }

    /** As {@link #advance}, and the counts of leases must be right after every single event. */
    public void advanceChecking(Duration by) {
        long end = time.nanos() + by.toNanos();
        while (time.step(end)) {
            checkLeases();
        }
        time.advanceTo(end);
    }

    public long active() {
        return ItemKeys.number(table.item(COUNTER), ItemKeys.ACTIVE);
    }

    /** Ours, by owner. */
    public Map<String, Set<String>> leasesByOwner() {
        Map<String, Set<String>> all = new HashMap<>();
        table.items().forEach((key, item) -> {
            String owner = item.text(ItemKeys.OWNER);
            if (key.startsWith(LEASES) && owner != null) {
                all.computeIfAbsent(owner, it -> new HashSet<>()).add(key.substring(LEASES.length()));
            }
        });
        return all;
    }

    public long leasesOfOurs() {
        return leasesByOwner().values().stream().mapToLong(Set::size).sum();
    }

    /** The counter counts the lease items, and every member names its own. */
    public void checkLeases() {
        Map<String, Set<String>> byOwner = leasesByOwner();
        long our = byOwner.values().stream().mapToLong(Set::size).sum();
        long their = goes.stream().mapToLong(it -> it.counted).sum();
        assertThat(active()).as("counter").isEqualTo(our + their + meddled);
        String prefix = ItemKeys.member(CLUSTER, "");
        Map<String, Set<String>> named = new HashMap<>();
        table.items().forEach((key, item) -> {
            Set<String> ids = item.texts(ItemKeys.LEASE_IDS);
            if (key.startsWith(prefix) && !ids.isEmpty()) {
                named.put(key.substring(prefix.length()), ids);
            }
        });
        if (meddled == 0) {
            assertThat(named).as("leases that members name").isEqualTo(byOwner);
        }
    }

    public Item item(String key) {
        return Objects.requireNonNull(table.item(key), key);
    }

    /** A process of ours, with a way to the table of its own. */
    public final class OurProcess {
        public final StoppableTime own = new StoppableTime();
        public final FaultyStore store = new FaultyStore(this);
        public final ClusterBudget budget;
        public final List<CompletableFuture<Permit>> permits = new ArrayList<>();
        public final List<CompletableFuture<Lease>> leases = new ArrayList<>();
        public boolean cut;

        OurProcess(ClusterSettings settings, Duration clockAhead) {
            budget = ClusterBudget.start(
                    settings,
                    settings.permitMode() == null ? null : store,
                    settings.leaseMode() == null ? null : store,
                    own,
                    () -> now().plus(clockAhead),
                    random.split());
        }

        public void wantPermits(int n, Urgency urgency) {
            for (int i = 0; i < n; i++) {
                permits.add(Objects.requireNonNull(budget.permits())
                        .acquire(urgency)
                        .toCompletableFuture());
            }
        }

        public long granted() {
            return permits.stream().filter(ModesKit::isDone).count();
        }

        public BudgetStats.Permits permitStats() {
            return Objects.requireNonNull(budget.stats().permits());
        }

        public CompletableFuture<Lease> wantLease() {
            CompletableFuture<Lease> lease =
                    Objects.requireNonNull(budget.leases()).acquire().toCompletableFuture();
            leases.add(lease);
            return lease;
        }

        public void wantLeases(int n) {
            for (int i = 0; i < n; i++) {
                var unused = wantLease();
            }
        }

        public List<Lease> held() {
            return leases.stream()
                    .filter(ModesKit::isDone)
                    .map(CompletableFuture::join)
                    .toList();
        }

        public void release(Lease lease) {
            leases.removeIf(it -> isDone(it) && it.join() == lease);
            var unused = Objects.requireNonNull(budget.leases()).release(lease);
        }

        public void releaseAll() {
            held().forEach(this::release);
        }

        public BudgetStats.Leases leaseStats() {
            return Objects.requireNonNull(budget.stats().leases());
        }

        /** Is gone, with whatever it has under way. */
        public void crash() {
            cut = true;
            own.stop();
        }

        public long writes() {
            return store.sent.stream().mapToLong(List::size).sum();
        }
    }

    public static boolean isDone(CompletableFuture<?> future) {
        return future.isDone() && !future.isCompletedExceptionally();
    }

    /** The time of one process, which can be made to stand still: then what is due waits, though the clock goes on. */
    public final class StoppableTime implements Time {
        private final ArrayDeque<Runnable> late = new ArrayDeque<>();
        private boolean stopped;

        public void stop() {
            stopped = true;
        }

        public void goOn() {
            stopped = false;
            while (!late.isEmpty()) {
                time.execute(late.remove());
            }
        }

        private void run(Runnable task) {
            if (stopped) {
                late.add(task);
            } else {
                task.run();
            }
        }

        @Override
        public long nanos() {
            return time.nanos();
        }

        @Override
        public Timer schedule(long delayNanos, Runnable task) {
            boolean[] cancelled = new boolean[1];
            Timer timer = time.schedule(
                    delayNanos,
                    () -> run(() -> {
                        if (!cancelled[0]) {
                            task.run();
                        }
                    }));
            return () -> {
                cancelled[0] = true;
                timer.cancel();
            };
        }

        @Override
        public void execute(Runnable task) {
            time.execute(() -> run(task));
        }
    }

    /** What becomes of a call. */
    public enum Fault {
        NONE,
        /** Done, but the answer gets lost. */
        ANSWER_LOST,
        /** Not done, and no answer. */
        LOST,
        /** No answer, and done some seconds later. */
        LATE,
        CONFLICT,
        THROTTLED
    }

    /** A way to the table on which calls go wrong as is said, and which remembers what was written. */
    public final class FaultyStore implements Store {
        public final List<List<Write>> sent = new ArrayList<>();
        private final ModelStore way;
        private final OurProcess owner;
        public long latencyNanos = 6 * MILLI;
        long lateNanos = 2 * SECOND;
        public Supplier<Fault> faults = () -> Fault.NONE;

        FaultyStore(OurProcess owner) {
            this.owner = owner;
            way = new ModelStore(
                    table, owner.own, () -> latencyNanos + random.nextLong(latencyNanos / 2 + 1), () -> owner.cut);
        }

        /** So many calls go wrong, then none. */
        public void fail(Fault fault, int times) {
            int[] left = {times};
            faults = () -> left[0]-- > 0 ? fault : Fault.NONE;
        }

        @Override
        public CompletionStage<Answer> read(List<String> keys, boolean consistent) {
            return call(() -> way.read(keys, consistent));
        }

        @Override
        public CompletionStage<Answer> write(Write write) {
            sent.add(List.of(write));
            return call(() -> way.write(write));
        }

        @Override
        public CompletionStage<Answer> transact(List<Write> writes, String token) {
            sent.add(List.copyOf(writes));
            return call(() -> way.transact(writes, token));
        }

        private CompletionStage<Answer> call(Supplier<CompletionStage<Answer>> call) {
            Fault fault = faults.get();
            return switch (fault) {
                case NONE -> call.get();
                case ANSWER_LOST ->
                    call.get().handle((answer, error) -> error).thenCompose(it -> failure(Kind.UNAVAILABLE));
                case LOST -> failure(Kind.UNAVAILABLE);
                case LATE -> {
                    time.schedule(lateNanos, () -> {
                        var unused = call.get();
                    });
                    yield failure(Kind.UNAVAILABLE);
                }
                case CONFLICT -> failure(Kind.CONFLICT);
                case THROTTLED -> failure(Kind.THROTTLED);
            };
        }

        private CompletableFuture<Answer> failure(Kind kind) {
            CompletableFuture<Answer> answer = new CompletableFuture<>();
            owner.own.schedule(
                    latencyNanos,
                    () -> answer.completeExceptionally(new StoreException(kind, "as the test wants it", -1, null)));
            return answer;
        }

        @Override
        public CompletionStage<Page> list(String keyPrefix, @Nullable String after) {
            return way.list(keyPrefix, after);
        }

        @Override
        public StoreCounts counts() {
            return way.counts();
        }
    }

    /** A Go process that opens connections one after the other, each by one permit of the running second. */
    public final class GoPermits {
        private final int limit;
        private final long handshakeNanos;
        private int wanted;
        public int granted;
        int denied;

        GoPermits(int limit, int wanted, long handshakeNanos) {
            this.limit = limit;
            this.wanted = wanted;
            this.handshakeNanos = handshakeNanos;
            time.schedule(random.nextLong(25 * MILLI), this::ask);
        }

        private void ask() {
            if (wanted == 0) {
                return;
            }
            long nowMillis = now().toEpochMilli();
            Write write = Write.update(
                    PREFIX + "connect#" + CLUSTER + "#" + nowMillis / 1_000,
                    List.of(
                            Change.set("updated_at_ms", nowMillis),
                            Change.set("ttl_epoch", nowMillis / 1_000 + 180),
                            Change.add("count", 1)),
                    Condition.atMost("count", limit - 1).orAbsent());
            time.schedule(3 * MILLI, () -> {
                if (table.write(write).applied()) {
                    granted++;
                    wanted--;
                    time.schedule(handshakeNanos, this::ask);
                } else {
                    denied++;
                    time.schedule((long) (25 * MILLI * (0.5 + random.nextDouble())), this::ask);
                }
            });
        }
    }

    public GoPermits goPermits(int limit, int wanted, long handshakeNanos) {
        return new GoPermits(limit, wanted, handshakeNanos);
    }

    public GoLeases goLeases(int limit) {
        GoLeases go = new GoLeases(limit);
        goes.add(go);
        return go;
    }

    /** The leases of a Go process. */
    public final class GoLeases {
        private final int limit;
        private final ArrayDeque<String> ids = new ArrayDeque<>();

        /** What it has counted and not counted off. */
        public long counted;

        GoLeases(int limit) {
            this.limit = limit;
        }

        public boolean acquire() {
            long nowMillis = now().toEpochMilli();
            String id = String.format("%016x%016x", random.nextLong(), random.nextLong());
            boolean done = table.transact(
                            List.of(
                                    Write.update(
                                            COUNTER,
                                            List.of(Change.add("active", 1), Change.set("updated_ms", nowMillis)),
                                            Condition.less("active", limit).orAbsent()),
                                    Write.put(
                                            LEASES + id,
                                            List.of(
                                                    Change.set("ttl_epoch", nowMillis / 1_000 + 180),
                                                    Change.set("service_name", "go-orders"),
                                                    Change.set("created_ms", nowMillis)))),
                            id)
                    .applied();
            if (done) {
                ids.add(id);
                counted++;
            }
            return done;
        }

        public int held() {
            return ids.size();
        }

        public void release() {
            String id = ids.remove();
            boolean done = table.transact(
                            List.of(
                                    Write.delete(LEASES + id),
                                    Write.update(
                                            COUNTER,
                                            List.of(Change.add("active", -1)),
                                            Condition.atLeast("active", 1))),
                            "r" + id)
                    .applied();
            if (done) {
                counted--;
            }
        }
    }
}
