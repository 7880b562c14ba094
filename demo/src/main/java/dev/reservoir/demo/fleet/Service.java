package dev.reservoir.demo.fleet;

import dev.reservoir.cluster.BudgetStats;
import dev.reservoir.core.util.Text;
import dev.reservoir.demo.workflow.WorkflowLoad;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One service of a fleet, through all of its lives. It starts, works on its shards, can be made to crash, and starts
 * again as a new process would. Its work is counted over all lives. Safe for any thread.
 */
public final class Service implements AutoCloseable {
    /** Time after a crash before the service starts again. */
    static final long DOWN_MILLIS = 5_000;

    private static final Logger log = LoggerFactory.getLogger(Service.class);

    /** Longest wait for the starter thread when the service closes. */
    private static final long CLOSE_TIMEOUT_MILLIS = 10_000;

    /** Pause before the next attempt to acquire the shards. */
    private static final long RETRY_MILLIS = 1_000;

    private static final UUID NAMESPACE = new UUID(1, 1);

    private final String side;
    private final int index;
    private final PoolMaker maker;
    private final CountDownLatch ended = new CountDownLatch(1);

    /** Guards the fields below. It is held only to read or change them. */
    private final Object lock = new Object();

    private int lives;
    private State state = State.STARTING;
    private @Nullable ServicePool pool;
    private @Nullable WorkflowLoad load;
    private @Nullable Thread starter;
    private WorkDone past = WorkDone.none();

    /** Creates the pool for one life. */
    public interface PoolMaker {
        ServicePool make(String service, String life) throws SQLException;
    }

    public enum State {
        STARTING,
        RUNNING,
        CRASHED,
        ENDED
    }

    Service(String side, int index, PoolMaker maker) {
        this.side = side;
        this.index = index;
        this.maker = maker;
    }

    public String name() {
        return Scale.serviceName(index);
    }

    /** Begins the first life in the background. Does not block. */
    void start() {
        begin(0);
    }

    private void begin(long delayMillis) {
        Thread thread = new Thread(() -> live(delayMillis), "demo-" + side + "-" + name());
        thread.setDaemon(true);
        synchronized (lock) {
            if (state == State.ENDED) {
                return;
            }
            starter = thread;
        }
        thread.start();
    }

    private void live(long delayMillis) {
        try {
            if (ended.await(delayMillis, TimeUnit.MILLISECONDS)) {
                return;
            }
            String life;
            synchronized (lock) {
                lives++;
                life = "demo-" + side + "-" + name() + "-" + lives;
                state = state == State.ENDED ? State.ENDED : State.STARTING;
            }
            ServicePool made = maker.make(name(), life);
            boolean isTaken;
            synchronized (lock) {
                isTaken = state == State.STARTING;
                if (isTaken) {
                    pool = made;
                }
            }
            if (isTaken) {
                work(made);
            } else {
                made.close();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (SQLException | RuntimeException e) {
            log.warn("Demo: a service did not start  side={} service={} error=\"{}\"", side, name(), Text.oneLine(e));
        }
    }

    /** Acquires the shards and starts the load. Retries until the database accepts it. */
    private void work(ServicePool made) throws InterruptedException {
        while (isStarting(made)) {
            try {
                WorkflowLoad begun = load(made);
                boolean isTaken;
                synchronized (lock) {
                    isTaken = state == State.STARTING && pool == made;
                    if (isTaken) {
                        load = begun;
                        state = State.RUNNING;
                    }
                }
                if (!isTaken) {
                    begun.close();
                }
                return;
            } catch (SQLException | RuntimeException e) {
                log.debug("Demo: a service could not begin  service={} error=\"{}\"", name(), Text.oneLine(e));
                if (ended.await(RETRY_MILLIS, TimeUnit.MILLISECONDS)) {
                    return;
                }
            }
        }
    }

    private boolean isStarting(ServicePool made) {
        synchronized (lock) {
            return state == State.STARTING && pool == made;
        }
    }

    private WorkflowLoad load(ServicePool made) throws SQLException {
        List<Integer> shards = IntStream.range(0, Scale.SHARDS_PER_SERVICE)
                .mapToObj(i -> index * Scale.SHARDS_PER_SERVICE + i)
                .toList();
        // Both sides use the same seed, so that the same number of workflows arrives at the same intervals.
        return WorkflowLoad.builder(made.dataSource())
                .service(name())
                .shards(shards)
                .namespace(NAMESPACE)
                .perSecond(Scale.WORKFLOWS_PER_SECOND)
                .workers(Scale.WORKERS)
                .seed(lives)
                .nodeId(index)
                .start();
    }

    /**
     * Ends the present life as the death of a process would. The next life begins a few seconds later. Returns false
     * and does nothing if the service is not running.
     */
    public boolean crash() {
        ServicePool dying;
        WorkflowLoad dead;
        synchronized (lock) {
            if (state != State.RUNNING || pool == null || load == null) {
                return false;
            }
            dying = pool;
            dead = load;
            // Workflows in progress die with the service and are not counted.
            past = past.plus(WorkDone.of(dead));
            pool = null;
            load = null;
            state = State.CRASHED;
        }
        var unused = InParallel.start(() -> {
            dying.crash();
            dead.close();
            return dead;
        });
        begin(DOWN_MILLIS);
        return true;
    }

    public State state() {
        synchronized (lock) {
            return state;
        }
    }

    private @Nullable ServicePool pool() {
        synchronized (lock) {
            return pool;
        }
    }

    public ServicePool.Levels levels() {
        ServicePool present = pool();
        return present == null ? ServicePool.Levels.NONE : present.levels();
    }

    /** Returns the service's part of the cluster's budget, or null if it has none now. */
    @Nullable
    public BudgetStats budget() {
        ServicePool present = pool();
        return present == null ? null : present.budget();
    }

    WorkDone done() {
        synchronized (lock) {
            return load == null ? past : past.plus(WorkDone.of(load));
        }
    }

    /** Stops the load, so that the counts no longer change. Blocks until no workflow runs. */
    void stopWorking() {
        WorkflowLoad stopping;
        synchronized (lock) {
            state = State.ENDED;
            stopping = load;
        }
        ended.countDown();
        if (stopping != null) {
            stopping.close();
        }
    }

    /** Stops the service in order, and releases everything that it holds. Blocks. */
    @Override
    public void close() {
        stopWorking();
        ServicePool closing;
        Thread waiting;
        synchronized (lock) {
            closing = pool;
            pool = null;
            if (load != null) {
                past = past.plus(WorkDone.of(load));
                load = null;
            }
            waiting = starter;
        }
        if (closing != null) {
            closing.close();
        }
        if (waiting != null) {
            end(waiting);
        }
    }

    /** Waits for the starter thread. It notices that the service has ended, and closes whatever it has made. */
    private static void end(Thread starter) {
        try {
            starter.join(CLOSE_TIMEOUT_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        starter.interrupt();
    }
}
