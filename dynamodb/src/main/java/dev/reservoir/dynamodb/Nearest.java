package dev.reservoir.dynamodb;

import java.util.Collection;
import java.util.Comparator;

/** Finds what somebody meant who misspelt a name. */
final class Nearest {
    private static final int LENGTH_MOST = 200;

    private Nearest() {}

    /** The known name with the fewest letters to insert, leave out or replace. */
    static String of(String name, Collection<String> known) {
        String wanted = name.length() > LENGTH_MOST ? name.substring(0, LENGTH_MOST) : name;
        return known.stream()
                .min(Comparator.comparingInt(candidate -> steps(wanted, candidate)))
                .orElse("");
    }

    private static int steps(String from, String to) {
        int[] above = new int[to.length() + 1];
        for (int column = 0; column < above.length; column++) {
            above[column] = column;
        }
        for (int line = 1; line <= from.length(); line++) {
            int[] current = new int[above.length];
            current[0] = line;
            for (int column = 1; column < current.length; column++) {
                int replaced = above[column - 1] + (from.charAt(line - 1) == to.charAt(column - 1) ? 0 : 1);
                current[column] = Math.min(replaced, 1 + Math.min(above[column], current[column - 1]));
            }
            above = current;
        }
        return above[to.length()];
    }
}
