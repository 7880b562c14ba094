package dev.reservoir.demo.fleet;

import dev.reservoir.demo.fleet.Service.PoolMaker;
import java.util.List;
import java.util.stream.IntStream;

/** One side of the comparison: a database and the fleet that uses it. */
public record Side(String name, EmulatedDatabase database, List<Service> services) implements AutoCloseable {

    /** Creates a side. Its services wait for {@link #start}. */
    public Side(String name, EmulatedDatabase database, PoolMaker maker) {
        this(
                name,
                database,
                IntStream.range(0, Scale.SERVICES)
                        .mapToObj(i -> new Service(name, i, maker))
                        .toList());
    }

    /** Starts the services in the background. Does not block. */
    public void start() {
        services.forEach(Service::start);
    }

    /** Whether every service holds as many connections as it is set to hold. */
    public boolean isFull() {
        return services.stream().allMatch(service -> service.levels().full());
    }

    public WorkDone done() {
        return services.stream().map(Service::done).reduce(WorkDone.none(), WorkDone::plus);
    }

    /** Stops all load, so that the counts no longer change. Blocks until no workflow runs. */
    public void stopWorking() {
        InParallel.run(services, Service::stopWorking);
    }

    /** Stops the services in order. The database keeps running. Blocks. */
    public void closeServices() {
        InParallel.run(services, Service::close);
    }

    @Override
    public void close() {
        try {
            closeServices();
        } finally {
            database.close();
        }
    }
}
