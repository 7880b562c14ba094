package dev.reservoir.bench.attack;

import java.util.ArrayList;
import java.util.List;

/** The findings of an attack: the checks that held and those that did not. */
public final class Verdict {

    private final String attacked;
    private final List<String> held = new ArrayList<>();
    private final List<String> failed = new ArrayList<>();
    private final List<String> skipped = new ArrayList<>();

    public Verdict(String attacked) {
        this.attacked = attacked;
    }

    /** Adds a check with its figures, and whether it held. */
    public synchronized Verdict check(boolean holds, String statement) {
        (holds ? held : failed).add(statement);
        return this;
    }

    /** Adds the reason why a check could not run here. */
    public synchronized Verdict skip(String reason) {
        skipped.add(reason);
        return this;
    }

    public synchronized boolean holds() {
        return failed.isEmpty();
    }

    public synchronized String line() {
        StringBuilder line = new StringBuilder(attacked);
        append(line, ". Held: ", held);
        append(line, ". DID NOT HOLD: ", failed);
        append(line, ". Skipped: ", skipped);
        return line.toString();
    }

    private static void append(StringBuilder line, String title, List<String> statements) {
        if (!statements.isEmpty()) {
            line.append(title).append(String.join("; ", statements));
        }
    }
}
