package dev.reservoir.sim.file;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Reports that a scenario file is wrong. Holds every mistake found, in the order of the file. The message has one line
 * for each mistake.
 */
public final class ScenarioException extends Exception {
    private static final long serialVersionUID = 1;

    private final transient List<Mistake> mistakes;

    ScenarioException(List<Mistake> mistakes) {
        super(mistakes.stream().map(Mistake::toString).collect(Collectors.joining("\n")));
        this.mistakes = List.copyOf(mistakes);
    }

    /** The mistakes, at least one. */
    public List<Mistake> mistakes() {
        return mistakes;
    }
}
