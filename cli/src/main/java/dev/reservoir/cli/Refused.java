package dev.reservoir.cli;

import java.util.List;

/** A command was given a file that is wrong, or that cannot be read or written. Nothing has been done. */
final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient List<String> lines;

    /** Each line says one thing that is wrong. */
    Refused(List<String> lines) {
        super(String.join("\n", lines));
        this.lines = List.copyOf(lines);
    }

    List<String> lines() {
        return lines;
    }
}
