package dev.reservoir.sim.result;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * One count for each constant of an enumeration.
 *
 * @param <E> the enumeration
 */
@SuppressWarnings("EnumOrdinal") // an array is faster than a map
public final class Counters<E extends Enum<E>> {
    private static final Pattern NEXT_WORD = Pattern.compile("_([a-z])");

    private final E[] kinds;
    private final long[] counts;

    private Counters(E[] kinds, long[] counts) {
        this.kinds = kinds;
        this.counts = counts;
    }

    /** Creates counters that are all zero. */
    public static <E extends Enum<E>> Counters<E> of(Class<E> kinds) {
        E[] all = kinds.getEnumConstants();
        return new Counters<>(all, new long[all.length]);
    }

    /** Adds to a count. Returns this object. */
    public Counters<E> add(E kind, long count) {
        counts[kind.ordinal()] += count;
        return this;
    }

    /** The count of one kind. */
    public long get(E kind) {
        return counts[kind.ordinal()];
    }

    /** The counts now, which later counting does not change. */
    public Counters<E> copy() {
        return new Counters<>(kinds, counts.clone());
    }

    /** Writes a field for each constant, in the order of the enumeration: {@code EMPTY_EVENTS} is emptyEvents. */
    void write(JsonGenerator json) throws IOException {
        for (E kind : kinds) {
            json.writeNumberField(name(kind), get(kind));
        }
    }

    private static String name(Enum<?> kind) {
        String lower = kind.name().toLowerCase(Locale.ROOT);
        return NEXT_WORD.matcher(lower).replaceAll(word -> word.group(1).toUpperCase(Locale.ROOT));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Counters<?> those && Arrays.equals(counts, those.counts);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(counts);
    }

    @Override
    public String toString() {
        return Arrays.toString(counts);
    }
}
