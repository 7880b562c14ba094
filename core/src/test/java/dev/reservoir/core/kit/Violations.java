package dev.reservoir.core.kit;

import java.util.ArrayList;
import java.util.List;

/**
 * Records broken promises where they occur, and throws them where the test sees them. The engine would catch an error
 * thrown inside the SPI or a listener.
 */
public final class Violations {
    private static final int KEPT_MAX = 20;

    private final List<String> seen = new ArrayList<>();

    /** Records a broken promise. */
    public void add(int promise, String what) {
        if (seen.size() < KEPT_MAX) {
            seen.add("promise " + promise + ": " + what);
        }
    }

    /** Records a broken promise unless the condition holds. The text is formatted only if it does not. */
    @SuppressWarnings("AnnotateFormatMethod")
    public void require(boolean holds, int promise, String what, Object... numbers) {
        if (!holds) {
            add(promise, String.format(what, numbers));
        }
    }

    /** Throws an error with all recorded violations, if there are any. */
    public void throwIfAny() {
        if (!seen.isEmpty()) {
            throw new AssertionError(String.join("\n", seen));
        }
    }
}
