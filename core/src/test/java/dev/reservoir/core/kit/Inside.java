package dev.reservoir.core.kit;

import dev.reservoir.core.Reservoir;
import dev.reservoir.core.Targets;
import dev.reservoir.core.internal.Keeper;
import java.lang.reflect.Field;

/**
 * The keeper's numbers at one instant, without the cost of full statistics: they are read after every event of every
 * random schedule.
 */
public record Inside(
        Targets targets,
        int size,
        int ready,
        int proving,
        int overflow,
        int opening,
        int openingOverflow,
        int waitingForLease,
        int waitingForPermit,
        int closing,
        int openStill,
        boolean paused,
        long opened,
        long closed) {

    public int lent() {
        return size - ready - proving;
    }

    /** The keeper of a reservoir, which keeps it to itself. */
    @SuppressWarnings("unchecked")
    public static <T> Keeper<T> keeperOf(Reservoir<T> reservoir) {
        try {
            Field field = Reservoir.class.getDeclaredField("keeper");
            field.setAccessible(true);
            return (Keeper<T>) field.get(reservoir);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("the reservoir has no field named keeper any more", e);
        }
    }

    static <T> Inside of(Keeper<T> keeper) {
        return keeper.inspect(v -> new Inside(
                v.targets(),
                v.size(),
                v.ready(),
                v.proving(),
                v.overflow(),
                v.opening(),
                v.openingOverflow(),
                v.waitingForLease(),
                v.waitingForPermit(),
                v.closing(),
                v.openStill(),
                v.paused(),
                v.opened(),
                v.closed()));
    }
}
