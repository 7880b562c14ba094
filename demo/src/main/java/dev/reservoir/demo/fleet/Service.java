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
 * One service of a fleet, through its lives: starts, works on its shards, may be made to crash, and comes back as a new process would. What it
 * has done is counted over all lives. For any thread.
 */
public final class Service implements AutoCloseable {
    /** How a crashed one is replaced. */
    static final long DOWN_MILLIS = 5_000;

    private static final Logger log = LoggerFactory.getLogger(Service.class);
    private static final long PATIENCE_MILLIS = 10_000;
    private static final long RETRY_MILLIS = 1_000;
    private static final UUID NAMESPACE = new UUID(1, 1);

    private final String side;
    private final int index;
    private final PoolMaker maker;
    private final CountDownLatch ended = new CountDownLatch(1);

    /** Guards what follows, and is held for no longer than it takes to read or change it. */
    private final Object lock = new Object();

    private int lives;
    private State state = State.STARTING;
    private @Nullable ServicePool pool;
    private @Nullable WorkflowLoad load;
    private @Nullable Thread starter;
    private WorkDone past = WorkDone.none();

    /** Makes the pool of a life. */
    public interface PoolMaker {
        ServicePool make(String service, String life) throws SQLException;
    }

    /** How a service is. */
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

    /** Begins its first life, in the background. */
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

    /** Takes its shards and begins with its load, as soon as the database lets it. */
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
        List<Integer> shards = IntStream.range(0, Scale.SHARDS_OF_EACH)
                .mapToObj(i -> index * Scale.SHARDS_OF_EACH + i)
                .toList();
        // The same seed on both sides, so that as many workflows arrive at the same distances.
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

    /** Ends the present life as the death of a process would; the next begins a few seconds later. Does nothing if it does not run. */
    public boolean crash() {
        ServicePool dying;
        WorkflowLoad dead;
        synchronized (lock) {
            if (state != State.RUNNING || pool == null || load == null) {
                return false;
            }
            dying = pool;
            dead = load;
            // What it was in the middle of dies with it, uncounted.
            past = past.plus(WorkDone.of(dead));
            pool = null;
            load = null;
            state = State.CRASHED;
        }
        Thread thread = new Thread(
                () -> {
                    dying.crash();
                    dead.close();
                },
                "demo-crash-" + side + "-" + name());
        thread.setDaemon(true);
        thread.start();
        begin(DOWN_MILLIS);
        return true;
    }

    public State state() {
        synchronized (lock) {
            return state;
        }
    }

    public ServicePool.Levels levels() {
        ServicePool present;
        synchronized (lock) {
            present = pool;
        }
        return present == null ? ServicePool.Levels.NONE : present.levels();
    }

    /** Its part in the cluster budget; null if it has none now. */
    @Nullable
    public BudgetStats budget() {
        ServicePool present;
        synchronized (lock) {
            present = pool;
        }
        return present == null ? null : present.budget();
    }

    /** What was done in all lives. */
    WorkDone done() {
        synchronized (lock) {
            return load == null ? past : past.plus(WorkDone.of(load));
        }
    }

    /** Ends its load, so that what it has done stays as it is. Blocks until no workflow runs. */
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

    /** Ends it in order, and gives back what it holds. Blocks. */
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

    /** Whatever it was about to make, it finds that nobody wants it any more, and closes it. */
    private static void end(Thread starter) {
        try {
            starter.join(PATIENCE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        starter.interrupt();
    }
}
