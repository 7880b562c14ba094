package dev.reservoir.bench.dsql;

import dev.reservoir.bench.Daemons;
import dev.reservoir.bench.Jvm;
import dev.reservoir.bench.dsql.SoakJudge.Failure;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The running {@linkplain SoakWorker workers} and those that have ended. The reports of dead ones still count. */
final class SoakFleet implements AutoCloseable {
    static final int PROCESSES = 8;

    private static final List<String> OPTIONS =
            List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dio.netty.noUnsafe=true");

    private final Access access;
    private final String dynamoDb;
    private final Worker[] running = new Worker[PROCESSES];
    private final List<Worker> all = new ArrayList<>();

    SoakFleet(Access access, String dynamoDb) {
        this.access = access;
        this.dynamoDb = dynamoDb;
    }

    void start(int index) throws IOException {
        String name = "soak-" + (all.size() + 1);
        List<String> words = new ArrayList<>(access.words());
        words.addAll(List.of(name, dynamoDb, Integer.toString(index)));
        Worker process = new Worker(name, Jvm.start(SoakWorker.class, OPTIONS, words));
        running[index] = process;
        all.add(process);
    }

    /** Kills the process at this index and returns its name. */
    String kill(int index) throws InterruptedException {
        running[index].jvm.kill();
        return running[index].name;
    }

    /** The sum of the reports of all processes, running and dead. */
    SoakState sum() {
        return all.stream().map(Worker::state).reduce(SoakState.NONE, SoakState::plus);
    }

    List<Failure> failures() {
        return all.stream().flatMap(process -> process.failures().stream()).toList();
    }

    /** Ends all running processes in order. Returns a line for each that did not end so. */
    List<String> end() throws IOException, InterruptedException {
        for (Worker process : running) {
            process.jvm.end();
        }
        List<String> wrong = new ArrayList<>();
        for (Worker process : running) {
            if (!process.jvm.endedWell()) {
                wrong.add(process.name + " did not end in good order");
            }
        }
        return wrong;
    }

    @Override
    public void close() throws IOException {
        try {
            for (Worker process : all) {
                process.jvm.kill();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static final class Worker {
        private final String name;
        private final Jvm jvm;

        // Guarded by this.
        private SoakState state = SoakState.NONE;
        private final List<Failure> failures = new ArrayList<>();

        Worker(String name, Jvm jvm) {
            this.name = name;
            this.jvm = jvm;
            Daemons.start("reports-of-" + name, this::read);
        }

        private void read() {
            try {
                for (String line = jvm.readLine(); line != null; line = jvm.readLine()) {
                    add(line);
                }
            } catch (IOException e) {
                // The process has died.
            }
        }

        private synchronized void add(String line) {
            if (line.startsWith(SoakWorker.STATE + " ")) {
                state = SoakState.of(line);
            } else if (line.startsWith(SoakWorker.FAILURE + " ")) {
                failures.add(Failure.of(name, line));
            }
        }

        synchronized SoakState state() {
            return state;
        }

        synchronized List<Failure> failures() {
            return List.copyOf(failures);
        }
    }
}
