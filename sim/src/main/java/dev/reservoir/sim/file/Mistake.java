package dev.reservoir.sim.file;

import org.jspecify.annotations.Nullable;

/**
 * One mistake in a scenario file. Its text is one line: the position, the key, the value and what is allowed.
 *
 * @param file the name of the scenario file, or of a recording that it names
 * @param line the line, counted from 1
 * @param column the column, counted from 1
 * @param kind the kind of mistake
 * @param key the key as it stands in the file; empty if there is none
 * @param value the value in the file, shortened; empty if there is none
 * @param allowed what is allowed there
 * @param nearest the known word most similar to the unknown one; null if none is similar enough
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

    /** A kind of mistake. */
    public enum Kind {
        /** The file cannot be parsed from this position on. */
        SYNTAX,
        /** No part of a scenario file accepts the key. */
        UNKNOWN_KEY,
        /** The key belongs to another part, or has no meaning together with the other keys. */
        PLACE,
        /** The key occurs twice. */
        TWICE,
        /** A required key is missing. */
        MISSING,
        /** There is a map, a list or a single value where another of these is expected. */
        SHAPE,
        /** The value is not allowed. */
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
