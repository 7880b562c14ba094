package dev.reservoir.cluster.store;

import org.jspecify.annotations.Nullable;

/**
 * A condition on one attribute of an item. The item is written only if it holds. A comparison does not hold if the
 * attribute is absent or has another type than the value.
 *
 * @param attribute the name of the attribute
 * @param test what must hold
 * @param value the value to compare with: a Long or a String; null for tests that compare nothing
 * @param absentToo whether the condition also holds if the attribute is absent
 */
public record Condition(
        String attribute, Test test, @Nullable Object value, boolean absentToo) {

    /** The possible tests of an attribute. */
    public enum Test {
        PRESENT,
        ABSENT,
        EQUAL,
        LESS,
        AT_MOST,
        AT_LEAST
    }

    public static Condition present(String attribute) {
        return new Condition(attribute, Test.PRESENT, null, false);
    }

    public static Condition absent(String attribute) {
        return new Condition(attribute, Test.ABSENT, null, false);
    }

    public static Condition equal(String attribute, Object value) {
        return new Condition(attribute, Test.EQUAL, value, false);
    }

    public static Condition less(String attribute, long value) {
        return new Condition(attribute, Test.LESS, value, false);
    }

    public static Condition atMost(String attribute, long value) {
        return new Condition(attribute, Test.AT_MOST, value, false);
    }

    public static Condition atLeast(String attribute, long value) {
        return new Condition(attribute, Test.AT_LEAST, value, false);
    }

    /** Returns the same condition, which also holds if the attribute is absent. */
    public Condition orAbsent() {
        return new Condition(attribute, test, value, true);
    }
}
