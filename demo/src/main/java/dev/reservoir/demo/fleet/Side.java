package dev.reservoir.demo.fleet;

import dev.reservoir.demo.fleet.Service.PoolMaker;
import java.util.List;
import java.util.stream.IntStream;

/** One of the two that are compared: a database and the fleet on it. */
public final class Side implements AutoCloseable {
    private final String name;
    private final EmulatedDatabase database;
    private final List<Service> services;

    /** A side whose services wait for {@link #go}. */
    public Side(String name, EmulatedDatabase database, PoolMaker maker) {
        this.name = name;
        this.database = database;
        services = IntStream.range(0, Scale.SERVICES)
                .mapToObj(i -> new Service(name, i, maker))
                .toList();
    }

    /** Starts the services, in the background. */
    public void go() {
        services.forEach(Service::start);
    }

    public String name() {
        return name;
    }

    public EmulatedDatabase database() {
        return database;
    }

    public List<Service> services() {
        return services;
    }

    /** Whether every service holds all that it is set to hold. */
    public boolean isFull() {
        return services.stream().allMatch(service -> service.levels().full());
    }

    public WorkDone done() {
        return services.stream().map(Service::done).reduce(WorkDone.none(), WorkDone::plus);
    }

    /** Ends all load, so that the figures stay as they are. Blocks until no workflow runs. */
    public void stopWorking() {
        InParallel.run(services, Service::stopWorking);
    }

    /** Ends the services in order; the database goes on. Blocks. */
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
