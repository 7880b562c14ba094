package dev.reservoir.sim.scenario;

import java.lang.reflect.RecordComponent;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Values of keys, from which parts of a scenario are built. A key without a value has its default. */
public final class Values {
    private final Map<Component<?, ?>, @Nullable Object> values = new HashMap<>();

    /** The values in a part and in the parts that it contains. */
    public static Values of(ScenarioPart<?> part) {
        Values all = new Values();
        all.putAll(part);
        return all;
    }

    private void putAll(ScenarioPart<?> part) {
        for (RecordComponent component : PartType.of(part.getClass()).components()) {
            Object value = PartType.valueOf(component, part);
            values.put(ScenarioKeys.component(component), value);
            if (value instanceof ScenarioPart<?> inner) {
                putAll(inner);
            }
        }
    }

    /** Sets a value. */
    public <T> void put(Component<?, T> component, @Nullable T value) {
        values.put(component, value);
    }

    /** Removes a value, so that the key has its default again. */
    public void remove(Component<?, ?> component) {
        values.remove(component);
    }

    /** The value of a key, or its default. */
    @SuppressWarnings({"unchecked", "NullAway"}) // put with its type, and null only if the key accepts none
    public <T> T get(Key<?, T> key) {
        return values.containsKey(key) ? (T) values.get(key) : key.otherwise(this);
    }

    /** Whether a key that accepts none has no value. */
    public boolean isNone(Key<?, ?> key) {
        return get(key) == null;
    }

    /** Builds a part. A part inside it that has no value is built from these values, too. */
    public <P> P build(Class<P> part) {
        return PartType.of(part).build(this::valueOf);
    }

    private @Nullable Object valueOf(RecordComponent component) {
        Component<?, ?> key = ScenarioKeys.component(component);
        if (values.containsKey(key)) {
            return values.get(key);
        }
        if (ScenarioPart.class.isAssignableFrom(component.getType())) {
            return build(component.getType());
        }
        if (key instanceof Key<?, ?> withDefault) {
            return withDefault.otherwise(this);
        }
        throw new IllegalStateException("bug: no value for " + key);
    }
}
