package dev.reservoir.flightsql;

import java.io.IOException;
import org.apache.arrow.flight.FlightProducer;
import org.apache.arrow.flight.FlightServer;
import org.apache.arrow.flight.Location;
import org.apache.arrow.memory.RootAllocator;

/**
 * Runs a Flight SQL server of somebody else, in a JVM whose class path has it. Ends when its input ends, so it does not
 * outlive the tests.
 */
final class OtherServerMain {
    static final String READY = "listens on ";

    private OtherServerMain() {}

    /** The arguments are the class of the producer and a name for it. */
    public static void main(String[] arguments) throws ReflectiveOperationException, IOException {
        Location anyPort = Location.forGrpcInsecure("127.0.0.1", 0);
        FlightProducer producer = Class.forName(arguments[0])
                .asSubclass(FlightProducer.class)
                .getConstructor(Location.class, String.class)
                .newInstance(anyPort, arguments[1]);
        FlightServer server = FlightServer.builder(new RootAllocator(), anyPort, producer)
                .build()
                .start();
        System.out.println(READY + server.getPort());
        int end = 0;
        while (end >= 0) {
            end = System.in.read();
        }
        Runtime.getRuntime().halt(0);
    }
}
