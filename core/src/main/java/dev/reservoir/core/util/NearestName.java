package dev.reservoir.core.util;

import java.util.Collection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Finds the known name that a misspelt name most likely means. Differences in case and in separators do not count. Does
 * not block.
 */
public final class NearestName {
    /**
     * Bounds the length of names that are compared. {@link #of} compares longer names by their beginnings;
     * {@link #likely} ignores them.
     */
    private static final int LENGTH_MAX = 200;

    /** Shortest name that counts as part of another. Shorter ones are part of too many names. */
    private static final int PART_LENGTH_MIN = 3;

    private NearestName() {}

    /**
     * The known name with the fewest mistakes, however many. A name that contains the given one counts as near. Empty
     * if no name is known.
     */
    public static String of(String name, Collection<String> known) {
        String wanted = plain(name);
        String nearest = "";
        int least = Integer.MAX_VALUE;
        for (String candidate : known) {
            String plain = plain(candidate);
            int mistakes = mistakes(wanted, plain);
            boolean part = wanted.length() >= PART_LENGTH_MIN && plain.contains(wanted);
            int score = part ? 1 + mistakes / 4 : mistakes;
            if (score < least) {
                least = score;
                nearest = candidate;
            }
        }
        return nearest;
    }

    /** The known name with the fewest mistakes, the first of equals. Returns null if even that one has many. */
    public static @Nullable String likely(String name, Collection<String> known) {
        String nearest = null;
        int least = mistakesMax(name) + 1;
        for (String candidate : known) {
            if (name.length() > LENGTH_MAX || candidate.length() > LENGTH_MAX) {
                continue;
            }
            int mistakes = mistakes(plain(name), plain(candidate));
            if (mistakes < least) {
                least = mistakes;
                nearest = candidate;
            }
        }
        return nearest;
    }

    private static int mistakesMax(String name) {
        if (name.length() <= 2) {
            return 0;
        }
        return name.length() <= 5 ? 1 : Math.max(2, name.length() / 3);
    }

    private static String plain(String name) {
        String plain = name.toLowerCase(Locale.ROOT).replaceAll("[._-]", "");
        return plain.length() > LENGTH_MAX ? plain.substring(0, LENGTH_MAX) : plain;
    }

    /** Counts letters that are missing, extra, wrong, or swapped with the next one. */
    private static int mistakes(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    d[i][j] = i + j;
                    continue;
                }
                int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                int least = Math.min(Math.min(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + change);
                boolean swapped =
                        i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
                d[i][j] = swapped ? Math.min(least, d[i - 2][j - 2] + 1) : least;
            }
        }
        return d[a.length()][b.length()];
    }
}
