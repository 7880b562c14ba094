package dev.reservoir.sim.scenario;

import java.math.BigDecimal;
import java.math.MathContext;
import org.jspecify.annotations.Nullable;

/** Reads and writes numbers. */
final class Numbers {
    /** Number of digits that tells any two doubles apart. */
    private static final int DIGITS_MAX = 17;

    /** Longest text that is read as a number. Nobody writes a longer one. */
    private static final int LENGTH_MAX = 40;

    private Numbers() {}

    /** Reads a number, which may have underscores between its digits. Returns null if the text is not a number. */
    static @Nullable BigDecimal parse(String text) {
        if (text.length() > LENGTH_MAX) {
            return null;
        }
        try {
            return new BigDecimal(text.indexOf('_') < 0 ? text : text.replaceAll("(?<=\\d)_(?=\\d)", ""));
        } catch (NumberFormatException noNumber) {
            return null;
        }
    }

    /**
     * Writes a number in the fewest digits that are read back as the same number. Unlike the text of a double, the
     * result is the same on every version of Java.
     */
    static String format(double value) {
        BigDecimal exact = new BigDecimal(value);
        for (int digits = 1; digits < DIGITS_MAX; digits++) {
            BigDecimal rounded = exact.round(new MathContext(digits));
            if (rounded.doubleValue() == value) {
                return rounded.stripTrailingZeros().toPlainString();
            }
        }
        return exact.round(new MathContext(DIGITS_MAX)).stripTrailingZeros().toPlainString();
    }
}
