package dev.reservoir.sim.scenario;

import org.jspecify.annotations.Nullable;

/**
 * A part of a scenario: a record whose components hold the values of keys. Immutable. Never construct a part with its
 * constructor, because that breaks with each new key: begin with {@link ScenarioKeys#defaults} and change it.
 *
 * @param <P> the part itself
 */
public interface ScenarioPart<P extends ScenarioPart<P>> {
    /** A copy in which one component has another value. */
    @SuppressWarnings("unchecked") // a part is its own type parameter
    default <T> P with(Component<P, T> component, @Nullable T value) {
        return component.set((P) this, value);
    }

    /** The choice that decides which keys have a meaning in this part; null if all have. */
    default @Nullable Enum<?> variant() {
        return null;
    }
}
