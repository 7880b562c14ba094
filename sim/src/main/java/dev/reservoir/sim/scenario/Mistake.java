package dev.reservoir.sim.scenario;

import org.jspecify.annotations.Nullable;

/**
 * One thing that is wrong with a scenario file. Its text is one line: where, which key, what it says and what is allowed.
 *
 * @param file the file's name: the scenario's, or that of a recording it names
 * @param line counted from 1
 * @param column counted from 1
 * @param kind what sort of mistake
 * @param key the key, as it is in the file; empty if there is none
 * @param value what the file says there, shortened; empty if there is nothing
 * @param allowed what could stand there
 * @param nearest the known word most like the one that is not known, if one is near enough
 */
public record Mistake(
        String file,
        int line,
        int column,
        Kind kind,
        String key,
        String value,
        String allowed,
        @Nullable String nearest) {

    /** A sort of mistake. */
    public enum Kind {
        /** The file cannot be read at all, from there on. */
        SYNTAX,
        /** A key that nobody knows. */
        UNKNOWN_KEY,
        /** A key that is known elsewhere, or that makes no sense with the others. */
        PLACE,
        /** A key that is there twice. */
        TWICE,
        /** A key that is not there. */
        MISSING,
        /** A map, a list or a single value where another of them is wanted. */
        SHAPE,
        /** A value that is not allowed. */
        VALUE
    }

    @Override
    public String toString() {
        String hint = nearest == null ? "" : "; did you mean " + nearest + "?";
        String text = switch (kind) {
            case SYNTAX -> "cannot be read: " + value + "; allowed: " + allowed;
            case UNKNOWN_KEY -> key + ": unknown key" + (nearest == null ? "; allowed: " + allowed : hint);
            case PLACE -> key + " has no meaning here; allowed: " + allowed;
            case TWICE -> key + " is given twice, " + value + "; allowed: " + allowed;
            case MISSING -> key + " is missing; allowed: " + allowed;
            case SHAPE -> key + " is " + value + "; allowed: " + allowed;
            case VALUE -> key + " is '" + value + "'; allowed: " + allowed + hint;
        };
        return file + ":" + line + ":" + column + ": " + text;
    }
}
