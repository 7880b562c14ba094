package dev.reservoir.jdbc.config;

import org.jspecify.annotations.Nullable;

/**
 * A setting whose value is an object of the user, given as an object or as the name of its class. The last one given
 * counts.
 *
 * @param <T> the type that the object must have
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

    /** Sets an object or a class name, or null for nothing. */
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

    /** The object or the class name that was given. */
    @Nullable
    public Object any() {
        return className == null ? object : className;
    }

    /** The class name, if it was given that way. */
    @Nullable
    String className() {
        return className;
    }

    /** Whether an object was given, so that the setting cannot be written as text. */
    public boolean isObject() {
        return object != null;
    }

    public boolean isSet() {
        return object != null || className != null;
    }

    /** Returns the object, newly created if a class name was given. Returns null if nothing was given. */
    @Nullable
    T make() {
        return className == null ? object : ClassNames.instance(key, className, type);
    }
}
