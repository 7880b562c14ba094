package dev.reservoir.sim.scenario;

import java.util.List;
import java.util.stream.Collectors;

/** A scenario file is wrong. Has every mistake that was found, in the order of the file; its message has one line for each. */
public final class ScenarioException extends Exception {
    private static final long serialVersionUID = 1;

    private final transient List<Mistake> mistakes;

    ScenarioException(List<Mistake> mistakes) {
        super(mistakes.stream().map(Mistake::toString).collect(Collectors.joining("\n")));
        this.mistakes = List.copyOf(mistakes);
    }

    /** What is wrong, at least one thing. */
    public List<Mistake> mistakes() {
        return mistakes;
    }
}
