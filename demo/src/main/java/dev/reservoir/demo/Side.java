package dev.reservoir.demo;

import dev.reservoir.demo.Service.PoolMaker;
import java.util.List;
import java.util.stream.IntStream;

/** One of the two that are compared: a database and the fleet on it. */
final class Side implements AutoCloseable {
    private final String name;
    private final Database database;
    private final List<Service> services;

    /** A side whose services wait for {@link #go}. */
    Side(String name, Database database, PoolMaker maker) {
        this.name = name;
        this.database = database;
        services = IntStream.range(0, Scale.SERVICES)
                .mapToObj(i -> new Service(name, i, maker))
                .toList();
    }

    /** Starts the services, in the background. */
    void go() {
        services.forEach(Service::start);
    }

    String name() {
        return name;
    }

    Database database() {
        return database;
    }

    List<Service> services() {
        return services;
    }

    /** Whether every service holds all that it is set to hold. */
    boolean isFull() {
        return services.stream().allMatch(service -> service.levels().full());
    }

    Work done() {
        return services.stream().map(Service::done).reduce(Work.none(), Work::plus);
    }

    /** Ends all load, so that the figures stay as they are. Blocks until no workflow runs. */
    void stopWorking() {
        Together.run(services, Service::stopWorking);
    }

    /** Ends the services in order; the database goes on. Blocks. */
    void closeServices() {
        Together.run(services, Service::close);
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
