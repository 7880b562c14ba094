package dev.reservoir.jdbc;

import java.util.Collection;
import java.util.Locale;

/** Finds what somebody meant who misspelt a name. */
final class Nearest {
    private static final int LENGTH_MAX = 200;
    private static final int PART_LENGTH_MIN = 3;

    private Nearest() {}

    /** The known name with the fewest letters to change, upper and lower case and separators aside. Parts count as near. */
    static String of(String name, Collection<String> known) {
        String wanted = plain(name);
        String nearest = "";
        int least = Integer.MAX_VALUE;
        for (String candidate : known) {
            int distance = score(wanted, plain(candidate));
            if (distance < least) {
                least = distance;
                nearest = candidate;
            }
        }
        return nearest;
    }

    private static int score(String wanted, String candidate) {
        int distance = distance(wanted, candidate);
        return wanted.length() >= PART_LENGTH_MIN && candidate.contains(wanted) ? 1 + distance / 4 : distance;
    }

    private static String plain(String name) {
        String plain = name.toLowerCase(Locale.ROOT).replaceAll("[._-]", "");
        return plain.length() > LENGTH_MAX ? plain.substring(0, LENGTH_MAX) : plain;
    }

    /** Levenshtein's, with one row of the table at a time. */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[row.length - 1];
    }
}
