package dev.reservoir.bench.attack;

import java.util.ArrayList;
import java.util.List;

/** The findings of an attack: the checks that held and those that did not. */
final class Verdict {

    private final String attacked;
    private final List<String> held = new ArrayList<>();
    private final List<String> failed = new ArrayList<>();
    private final List<String> skipped = new ArrayList<>();

    Verdict(String attacked) {
        this.attacked = attacked;
    }

    /** Adds a check with its figures, and whether it held. */
    synchronized Verdict check(boolean holds, String statement) {
        (holds ? held : failed).add(statement);
        return this;
    }

    /** Adds the reason why a check could not run here. */
    synchronized Verdict skip(String reason) {
        skipped.add(reason);
        return this;
    }

    synchronized boolean holds() {
        return failed.isEmpty();
    }

    synchronized String line() {
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
