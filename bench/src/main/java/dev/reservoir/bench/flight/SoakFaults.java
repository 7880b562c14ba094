package dev.reservoir.bench.flight;

import dev.reservoir.flightsql.server.CancelSupport;
import dev.reservoir.flightsql.server.FlightSqlServer;
import dev.reservoir.flightsql.server.SessionRules;
import dev.reservoir.testkit.FaultyProxy;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** Disturbs a server and the way to it, one fault after the other, in random order. */
final class SoakFaults {
    /** The longest time without a fault, and of a fault that lasts. */
    private static final int PAUSE_MILLIS = 800;

    private final FlightSqlServer server;
    private final FaultyProxy relay;
    private final SplittableRandom random;
    private final Map<Fault, Integer> counts = new EnumMap<>(Fault.class);

    SoakFaults(FlightSqlServer server, FaultyProxy relay, SplittableRandom random) {
        this.server = server;
        this.relay = relay;
        this.random = random;
        for (Fault fault : Fault.values()) {
            counts.put(fault, 0);
        }
    }

    enum Fault {
        RESET_HALF,
        CUT_ALL,
        HALF_OPEN,
        RESTART,
        AWAY,
        REFUSED_SESSIONS,
        SWANLAKE_RULES,
        NO_CANCEL
    }

    Map<Fault, Integer> counts() {
        return counts;
    }

    /** Real time passes here, because sockets, gRPC and DuckDB know no other. Blocks. */
    void disturb(long untilNanos) throws InterruptedException {
        Fault[] all = Fault.values();
        while (System.nanoTime() < untilNanos) {
            Fault fault = all[random.nextInt(all.length)];
            cause(fault);
            counts.merge(fault, 1, Integer::sum);
            pause();
            server.setRules(SessionRules.cooperative());
        }
    }

    private void cause(Fault fault) throws InterruptedException {
        switch (fault) {
            case RESET_HALF -> relay.resetHalf();
            case CUT_ALL -> relay.endOpen();
            case HALF_OPEN -> relay.loseOpen();
            case RESTART -> server.restart();
            case AWAY -> {
                server.stop();
                pause();
                server.startAgain();
            }
            case REFUSED_SESSIONS -> {
                server.setRules(SessionRules.cooperative().withSessionsMax(1));
                relay.resetHalf();
            }
            case SWANLAKE_RULES -> server.setRules(SessionRules.swanLake().withIdleExpiry(Duration.ofMillis(300)));
            case NO_CANCEL -> server.setRules(SessionRules.cooperative().withCancel(CancelSupport.NONE));
        }
    }

    private void pause() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(random.nextInt(PAUSE_MILLIS));
    }
}
