package dev.reservoir.sim.scenario;

import java.math.BigDecimal;
import java.math.MathContext;
import org.jspecify.annotations.Nullable;

/** Numbers as text. */
final class Numbers {
    /** So many digits tell any two doubles apart. */
    private static final int DIGITS_MAX = 17;

    /** Longer texts are no numbers that anybody wrote. */
    private static final int LENGTH_MAX = 40;

    private Numbers() {}

    /** Reads a number, which may have underscores between its digits; null if it is none. */
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

    /** The fewest digits that are read back as the same number; the same on every version of Java, as Double's are not. */
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
