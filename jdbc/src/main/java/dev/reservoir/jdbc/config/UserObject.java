package dev.reservoir.jdbc.config;

import org.jspecify.annotations.Nullable;

/**
 * A setting whose value is an object of the user's, given itself or by the name of its class. The one given last counts.
 *
 * @param <T> what the object must be
 */
public final class UserObject<T> {
    private final String key;
    private final Class<T> type;
    private @Nullable T object;
    private @Nullable String className;

    UserObject(String key, Class<T> type) {
        this.key = key;
        this.type = type;
    }

    public void set(@Nullable T value) {
        object = value;
        className = null;
    }

    public void setClassName(@Nullable String value) {
        className = value;
        object = null;
    }

    /** Either of them, or null for nothing. */
    public void setAny(@Nullable Object value) {
        if (value == null || type.isInstance(value)) {
            set(type.cast(value));
        } else if (value instanceof CharSequence name) {
            setClassName(name.toString());
        } else {
            throw new IllegalArgumentException(key + " is a " + value.getClass().getName() + "; allowed: a "
                    + type.getName() + ", or the name of its class");
        }
    }

    /** What was given. */
    @Nullable
    public Object any() {
        return className == null ? object : className;
    }

    /** The name of its class, if it was given so. */
    @Nullable
    String className() {
        return className;
    }

    /** Whether it was given itself, so that text cannot tell what it is. */
    public boolean isObject() {
        return object != null;
    }

    public boolean isSet() {
        return object != null || className != null;
    }

    /** The object, made anew if its class was named; null if nothing was given. */
    @Nullable
    T make() {
        return className == null ? object : ClassNames.instance(key, className, type);
    }
}
