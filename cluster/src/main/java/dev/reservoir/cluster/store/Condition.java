package dev.reservoir.cluster.store;

import org.jspecify.annotations.Nullable;

/**
 * What must hold of one attribute of an item for it to be written. A comparison does not hold of an attribute that is absent
 * or of another kind than the value.
 *
 * @param attribute its name
 * @param test what must hold
 * @param value what it is compared with: a Long or a String; null for those tests that compare nothing
 * @param absentToo whether it also holds if the attribute is absent
 */
public record Condition(
        String attribute, Test test, @Nullable Object value, boolean absentToo) {

    /** What is asked of an attribute. */
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

    /** The same, which also holds if the attribute is absent. */
    public Condition orAbsent() {
        return new Condition(attribute, test, value, true);
    }
}
