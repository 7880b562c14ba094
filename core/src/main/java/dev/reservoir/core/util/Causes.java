package dev.reservoir.core.util;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The chain of causes of an exception. */
public final class Causes {
    /** Bounds the number of exceptions that are examined. It ends a circular chain. */
    public static final int MAX = 50;

    private Causes() {}

    /** The exception and its causes, the outermost first. Empty if there is no exception. */
    public static List<Throwable> of(@Nullable Throwable error) {
        List<Throwable> chain = new ArrayList<>();
        Throwable cause = error;
        while (cause != null && chain.size() < MAX) {
            chain.add(cause);
            cause = cause.getCause();
        }
        return chain;
    }

    /** The innermost cause, or the exception itself if it has none. */
    public static Throwable root(Throwable error) {
        List<Throwable> chain = of(error);
        return chain.get(chain.size() - 1);
    }

    /** Whether the exception or one of its causes is of this type. */
    public static boolean contain(Throwable error, Class<? extends Throwable> type) {
        return of(error).stream().anyMatch(type::isInstance);
    }
}
