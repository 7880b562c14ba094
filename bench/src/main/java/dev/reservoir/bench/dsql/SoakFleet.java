package dev.reservoir.bench.dsql;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The running processes and those that have ended. The reports of dead processes still count. */
final class SoakFleet implements AutoCloseable {
    static final int PROCESSES = 8;

    private final Access access;
    private final String dynamoDb;
    private final SoakProcess[] running = new SoakProcess[PROCESSES];
    private final List<SoakProcess> all = new ArrayList<>();

    SoakFleet(Access access, String dynamoDb) {
        this.access = access;
        this.dynamoDb = dynamoDb;
    }

    /** Starts a process at this index. */
    void start(int index) throws IOException {
        SoakProcess process = SoakProcess.start("soak-" + (all.size() + 1), index, access, dynamoDb);
        running[index] = process;
        all.add(process);
    }

    /** Kills the process at this index and returns its name. */
    String kill(int index) throws InterruptedException {
        running[index].jvm().kill();
        return running[index].name();
    }

    /** The sum of the reports of all processes, running and dead. */
    SoakState sum() {
        return all.stream().map(SoakProcess::state).reduce(SoakState.NONE, SoakState::plus);
    }

    List<SoakFailure> failures() {
        return all.stream().flatMap(process -> process.failures().stream()).toList();
    }

    /** Ends all running processes in order. Returns a line for each that did not end so. */
    List<String> end() throws IOException, InterruptedException {
        for (SoakProcess process : running) {
            process.jvm().end();
        }
        List<String> wrong = new ArrayList<>();
        for (SoakProcess process : running) {
            if (!process.jvm().endedWell()) {
                wrong.add(process.name() + " did not end in good order");
            }
        }
        return wrong;
    }

    @Override
    public void close() throws IOException {
        try {
            for (SoakProcess process : all) {
                process.jvm().kill();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
