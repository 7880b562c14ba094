package dev.reservoir.demo.workflow;

import dev.reservoir.dsql.id.NodeIdSource;
import dev.reservoir.dsql.tx.Retries;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;

/** Collects the settings of a {@link WorkflowLoad}. A builder starts one load. */
public final class WorkflowLoadBuilder {
    final DataSource dataSource;
    String service = "history";
    List<Integer> shards = List.of(0);
    UUID namespace = UUID.randomUUID();
    double perSecond = 10;
    int signals = 3;
    int workers = 4;
    long seed = 1;
    int nodeId;
    Retries retries = Retries.builder().deadline(Duration.ofSeconds(30)).build();

    WorkflowLoadBuilder(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** Sets the service's name. Default: {@code history}. */
    public WorkflowLoadBuilder service(String value) {
        service = value;
        return this;
    }

    /** Sets the shards that the service takes over at the start, at least one. Default: shard 0. */
    public WorkflowLoadBuilder shards(List<Integer> value) {
        shards = List.copyOf(value);
        return this;
    }

    /** Sets the namespace of the workflows. Default: a new random one. */
    public WorkflowLoadBuilder namespace(UUID value) {
        namespace = value;
        return this;
    }

    /** Sets how many workflows arrive per second, more than 0. Default: 10. */
    public WorkflowLoadBuilder perSecond(double value) {
        perSecond = value;
        return this;
    }

    /** Sets how many events each workflow gets, from 0 to {@value WorkflowStore#EVENTS_MAX}. Default: 3. */
    public WorkflowLoadBuilder signals(int value) {
        signals = value;
        return this;
    }

    /** Sets how many workflows run at the same time, from 1 to 10,000. Default: 4. */
    public WorkflowLoadBuilder workers(int value) {
        workers = value;
        return this;
    }

    /** Sets the seed. Together with the node id it determines the arrivals and the ids of the workflows. Default: 1. */
    public WorkflowLoadBuilder seed(long value) {
        seed = value;
        return this;
    }

    /**
     * Sets the node id for the ids of events, from 0 to {@value NodeIdSource#NODE_ID_MAX}. Each service needs a
     * different one. Default: 0.
     */
    public WorkflowLoadBuilder nodeId(int value) {
        nodeId = value;
        return this;
    }

    /** Sets the retry policy of the transactions. Default: Reservoir's default, with a deadline of 30 s. */
    public WorkflowLoadBuilder retries(Retries value) {
        retries = value;
        return this;
    }

    /** Takes the shards over and starts the load. Blocks for the database. */
    public WorkflowLoad start() throws SQLException {
        check(!shards.isEmpty(), "shards", shards, "at least one");
        check(perSecond > 0 && perSecond <= 1e6, "perSecond", perSecond, "more than 0, up to 1000000");
        check(
                signals >= 0 && signals <= WorkflowStore.EVENTS_MAX,
                "signals",
                signals,
                "0 to " + WorkflowStore.EVENTS_MAX);
        check(workers >= 1 && workers <= 10_000, "workers", workers, "1 to 10000");
        WorkflowLoad load = new WorkflowLoad(this);
        load.start();
        return load;
    }

    private static void check(boolean allowed, String key, Object value, String what) {
        if (!allowed) {
            throw new IllegalArgumentException(key + " is " + value + "; allowed: " + what);
        }
    }
}
