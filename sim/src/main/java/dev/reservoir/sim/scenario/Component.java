package dev.reservoir.sim.scenario;

import org.jspecify.annotations.Nullable;

/**
 * One component of a part of a scenario.
 *
 * @param <P> the part
 * @param <T> the type of the component
 */
public class Component<P extends ScenarioPart<P>, T> {
    private final Class<P> part;
    private final @Nullable String component;

    /**
     * Names a component.
     *
     * @param component the name of the record component; null for a key that only files have
     */
    Component(Class<P> part, @Nullable String component) {
        this.part = part;
        this.component = component;
    }

    /** The part that has this component. */
    public final Class<P> part() {
        return part;
    }

    /** Whether a part stores the value. If not, the value decides about other components when a file is read. */
    public final boolean isStored() {
        return component != null;
    }

    final String component() {
        if (component == null) {
            throw new IllegalStateException("bug: " + this + " is not stored in " + part.getSimpleName());
        }
        return component;
    }

    /** A copy of a part in which this component has another value. */
    final P set(P of, @Nullable T value) {
        return PartType.of(part).copy(of, component(), value);
    }

    /** The value of this component in a part. */
    @SuppressWarnings({"unchecked", "NullAway"}) // the table declares the component with its type
    final T get(P of) {
        return (T) PartType.of(part).get(of, component());
    }

    final String path() {
        return path(part, component());
    }

    static String path(Class<?> part, String component) {
        return part.getSimpleName() + "." + component;
    }

    @Override
    public String toString() {
        return part.getSimpleName() + "." + component;
    }
}
