package dev.reservoir.sim.scenario;

import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Takes the records of one type apart and puts them together. The only place that constructs parts of a scenario, so
 * that a new component changes no other code.
 */
final class PartType<P> {
    private static final ClassValue<PartType<?>> ALL = new ClassValue<>() {
        @Override
        protected PartType<?> computeValue(Class<?> type) {
            return new PartType<>(type);
        }
    };

    private final RecordComponent[] components;
    private final Constructor<P> constructor;

    private PartType(Class<P> type) {
        components = type.getRecordComponents();
        Class<?>[] types =
                Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
        try {
            constructor = type.getDeclaredConstructor(types);
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("bug: " + type + " is not a record", e);
        }
    }

    @SuppressWarnings("unchecked") // ALL maps each class to its own type
    static <P> PartType<P> of(Class<P> type) {
        return (PartType<P>) ALL.get(type);
    }

    RecordComponent[] components() {
        return components.clone();
    }

    /** Creates a record from the values of its components. */
    P build(Function<RecordComponent, @Nullable Object> valueOf) {
        @Nullable Object[] values = new Object[components.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = valueOf.apply(components[i]);
        }
        try {
            return constructor.newInstance(values);
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            throw new IllegalStateException(
                    "bug: " + constructor.getDeclaringClass() + " cannot have " + Arrays.toString(values), e);
        }
    }

    /** Copies a record with another value in one component. */
    P copy(P record, String component, @Nullable Object value) {
        return build(c -> c.getName().equals(component) ? value : valueOf(c, record));
    }

    /** The value of one component. */
    @Nullable
    Object get(P record, String component) {
        return Arrays.stream(components)
                .filter(c -> c.getName().equals(component))
                .findFirst()
                .map(c -> valueOf(c, record))
                .orElse(null);
    }

    static @Nullable Object valueOf(RecordComponent component, Object record) {
        try {
            return component.getAccessor().invoke(record);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("bug: cannot read " + component + " of " + record, e);
        }
    }
}
