package dev.reservoir.bench.dsql;

import dev.reservoir.bench.Daemons;
import dev.reservoir.bench.Jvm;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The parent's view of a {@link SoakWorker}. Keeps its reports after it has died. */
final class SoakProcess {
    private static final List<String> OPTIONS =
            List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dio.netty.noUnsafe=true");

    private final String name;
    private final Jvm jvm;

    // Guarded by this.
    private SoakState state = SoakState.NONE;
    private final List<SoakFailure> failures = new ArrayList<>();

    private SoakProcess(String name, Jvm jvm) {
        this.name = name;
        this.jvm = jvm;
        Daemons.start("reports-of-" + name, this::read);
    }

    /** Starts a worker at this index of the fleet. */
    static SoakProcess start(String name, int index, Access access, String dynamoDb) throws IOException {
        List<String> words = new ArrayList<>(access.words());
        words.add(name);
        words.add(dynamoDb);
        words.add(Integer.toString(index));
        return new SoakProcess(name, Jvm.start(SoakWorker.class, OPTIONS, words));
    }

    String name() {
        return name;
    }

    Jvm jvm() {
        return jvm;
    }

    private void read() {
        try {
            for (String line = jvm.readLine(); line != null; line = jvm.readLine()) {
                hear(line);
            }
        } catch (IOException e) {
            // The process has died.
        }
    }

    private synchronized void hear(String line) {
        if (line.startsWith(SoakWorker.STATE + " ")) {
            state = SoakState.of(line);
        } else if (line.startsWith(SoakWorker.FAILURE + " ")) {
            failures.add(SoakFailure.of(name, line));
        }
    }

    synchronized SoakState state() {
        return state;
    }

    synchronized List<SoakFailure> failures() {
        return List.copyOf(failures);
    }
}
