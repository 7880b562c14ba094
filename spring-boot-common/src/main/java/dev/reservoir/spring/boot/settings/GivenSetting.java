package dev.reservoir.spring.boot.settings;

/**
 * The value of a setting and the property that it came from.
 *
 * @param text the value
 * @param property the name of the property, which errors name
 */
record GivenSetting(String text, String property) {
    /** Shows no value, since it may be a secret. */
    @Override
    public String toString() {
        return property;
    }
}
