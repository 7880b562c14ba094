package dev.reservoir.core.kit;

import java.util.ArrayList;
import java.util.List;

/**
 * Broken promises, noted where they are seen and thrown where the test can see them: an error thrown inside a seam or a
 * listener would be caught by the engine.
 */
public final class Violations {
    private static final int KEPT_MAX = 20;

    private final List<String> seen = new ArrayList<>();

    /** Notes that a promise was broken. */
    public void add(int promise, String what) {
        if (seen.size() < KEPT_MAX) {
            seen.add("promise " + promise + ": " + what);
        }
    }

    /** Notes a broken promise unless the condition holds. The text costs nothing while it does. */
    @SuppressWarnings("AnnotateFormatMethod")
    public void require(boolean holds, int promise, String what, Object... numbers) {
        if (!holds) {
            add(promise, String.format(what, numbers));
        }
    }

    /** Throws what was noted so far. */
    public void throwIfAny() {
        if (!seen.isEmpty()) {
            throw new AssertionError(String.join("\n", seen));
        }
    }
}
