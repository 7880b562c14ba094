package dev.reservoir.remote.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.remote.PooledRemoteConnection;
import dev.reservoir.remote.RemoteConnectionPoolRegistry;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.function.Executable;

/** Threads of several local users that acquire, use and release connections of one server until the test ends them. */
final class Load implements AutoCloseable {
    /** How long an acquire may take while the server misbehaves. */
    static final Duration ACQUIRE = Duration.ofMillis(1500);

    /** How much later than its deadline an acquire may end, besides the time that {@link Stalls} allow for. */
    private static final Duration LATE = Duration.ofMillis(500);

    /** How much longer than usual other things may take, because the machine is busy. */
    static final Duration TOLERANCE = Duration.ofSeconds(3);

    /** How long a test waits for something that must happen. Much more than it takes. */
    static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final Duration POLL = Duration.ofMillis(20);

    /** Between two attempts, so that refusals do not keep the processor busy. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** Uses a connection. The random numbers belong to the thread. */
    @FunctionalInterface
    interface Work {
        void use(PooledRemoteConnection connection, SplittableRandom random) throws SQLException;
    }

    private final RemoteConnectionPoolRegistry registry;
    private final Work work;
    private final Duration acquire;
    private final Set<RemoteErrorCode> tolerated;
    private final List<Thread> threads = new ArrayList<>();
    private final Map<String, AtomicInteger> served = new ConcurrentHashMap<>();
    private final Map<RemoteErrorCode, AtomicInteger> errors = new ConcurrentHashMap<>();
    private final AtomicLong longestAcquireNanos = new AtomicLong();
    private final AtomicLong longestReleaseNanos = new AtomicLong();
    private final ConcurrentLinkedQueue<Throwable> unexpected = new ConcurrentLinkedQueue<>();
    private final ReentrantReadWriteLock working = new ReentrantReadWriteLock(true);
    private final Stalls stalls = new Stalls();
    private volatile boolean ended;

    /**
     * Makes a load without threads. If no failure is tolerated, acquires wait for long, because the machine may be
     * busy.
     *
     * @param tolerated what acquires and uses may fail with; everything else fails the test
     */
    Load(RemoteConnectionPoolRegistry registry, Work work, RemoteErrorCode... tolerated) {
        this.registry = registry;
        this.work = work;
        this.tolerated = EnumSet.noneOf(RemoteErrorCode.class);
        this.tolerated.addAll(List.of(tolerated));
        this.acquire = tolerated.length == 0 ? PATIENCE : ACQUIRE;
    }

    /** Starts this many threads of a local user. */
    Load user(String user, int count) {
        served.put(user, new AtomicInteger());
        for (int i = 0; i < count; i++) {
            SplittableRandom random = new SplittableRandom(31L * threads.size() + 7);
            Thread thread = new Thread(() -> run(user, random), "load-" + user + "-" + i);
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
        return this;
    }

    private void run(String user, SplittableRandom random) {
        while (!ended) {
            try {
                once(user, random);
            } catch (SQLException e) {
                note(e);
                LockSupport.parkNanos(PAUSE_NANOS);
            } catch (RuntimeException | AssertionError e) {
                unexpected.add(e);
            }
        }
    }

    private void once(String user, SplittableRandom random) throws SQLException {
        working.readLock().lock();
        try {
            acquireAndUse(user, random);
        } finally {
            working.readLock().unlock();
        }
    }

    /** Runs a task while no thread of this load holds or waits for a connection. */
    void whileNobodyWorks(Executable task) throws Throwable {
        working.writeLock().lock();
        try {
            task.execute();
        } finally {
            working.writeLock().unlock();
        }
    }

    private void acquireAndUse(String user, SplittableRandom random) throws SQLException {
        PooledRemoteConnection connection;
        long begun = System.nanoTime();
        try {
            connection = registry.acquire("server", user, acquire);
        } finally {
            longestAcquireNanos.accumulateAndGet(System.nanoTime() - begun, Math::max);
        }
        try {
            work.use(connection, random);
            served.get(user).incrementAndGet();
        } finally {
            long releasing = System.nanoTime();
            connection.release();
            longestReleaseNanos.accumulateAndGet(System.nanoTime() - releasing, Math::max);
        }
    }

    private void note(SQLException error) {
        if (!(error instanceof RemoteException failed)) {
            unexpected.add(error);
            return;
        }
        errors.computeIfAbsent(failed.code(), code -> new AtomicInteger()).incrementAndGet();
        if (!tolerated.contains(failed.code())) {
            unexpected.add(error);
        }
    }

    int served() {
        return served.values().stream().mapToInt(AtomicInteger::get).sum();
    }

    int errors(RemoteErrorCode code) {
        AtomicInteger count = errors.get(code);
        return count == null ? 0 : count.get();
    }

    /** Waits until each of these users was served this often again. */
    void awaitServed(int more, String... users) {
        for (String user : users) {
            AtomicInteger count = served.get(user);
            int enough = count.get() + more;
            Awaitility.await(user + " is served")
                    .atMost(PATIENCE)
                    .pollInterval(POLL)
                    .until(() -> isAsExpected() && count.get() >= enough);
        }
    }

    /** Waits until this many more calls failed, with whatever code. */
    void awaitFailures(int more) {
        int enough = failures() + more;
        Awaitility.await("calls fail")
                .atMost(PATIENCE)
                .pollInterval(POLL)
                .until(() -> isAsExpected() && failures() >= enough);
    }

    private int failures() {
        return errors.values().stream().mapToInt(AtomicInteger::get).sum();
    }

    /** Waits until a call failed with this code once more. */
    void awaitError(RemoteErrorCode code) {
        int before = errors(code);
        Awaitility.await(code + " is seen")
                .atMost(PATIENCE)
                .pollInterval(POLL)
                .until(() -> isAsExpected() && errors(code) > before);
    }

    private boolean isAsExpected() {
        Throwable first = unexpected.peek();
        if (first != null) {
            throw new AssertionError(unexpected.size() + " unexpected failures; tolerated: " + tolerated, first);
        }
        return true;
    }

    Duration longestRelease() {
        return Duration.ofNanos(longestReleaseNanos.get());
    }

    /** Ends the threads, and fails if one saw something that it should not, or waited past its deadline. */
    void end() throws InterruptedException {
        close();
        for (Thread thread : threads) {
            thread.join(PATIENCE.toMillis());
            assertThat(thread.isAlive()).as("%s ends", thread.getName()).isFalse();
        }
        assertThat(isAsExpected()).isTrue();
        assertThat(Duration.ofNanos(longestAcquireNanos.get()))
                .as("the longest acquire")
                .isLessThan(acquire.plus(LATE).plus(stalls.allowance()));
    }

    @Override
    public void close() {
        ended = true;
        stalls.close();
    }

    @Override
    public String toString() {
        return "served " + served + ", errors " + errors + ", longest acquire "
                + TimeUnit.NANOSECONDS.toMillis(longestAcquireNanos.get()) + " ms, longest release "
                + TimeUnit.NANOSECONDS.toMillis(longestReleaseNanos.get()) + " ms";
    }
}
