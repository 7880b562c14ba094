package dev.reservoir.sim.scenario;

import java.util.Collection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Finds the known word that somebody most likely meant. */
final class Nearest {
    /** Longer words are not compared: nobody meant them. */
    private static final int LENGTH_MAX = 60;

    private Nearest() {}

    /** The known word with the fewest typing mistakes between it and the given one, if they are few; the first of equals. */
    static @Nullable String of(String word, Collection<String> known) {
        String best = null;
        int fewest = mistakesMax(word) + 1;
        for (String candidate : known) {
            int mistakes = word.length() > LENGTH_MAX || candidate.length() > LENGTH_MAX
                    ? Integer.MAX_VALUE
                    : distance(plain(word), plain(candidate));
            if (mistakes < fewest) {
                fewest = mistakes;
                best = candidate;
            }
        }
        return best;
    }

    private static int mistakesMax(String word) {
        if (word.length() <= 2) {
            return 0;
        }
        return word.length() <= 5 ? 1 : Math.max(2, word.length() / 3);
    }

    /** Upper and lower case and the sort of dash are no typing mistakes. */
    private static String plain(String word) {
        return word.toLowerCase(Locale.ROOT).replace("_", "").replace("-", "");
    }

    /** Letters that are missing, too many, wrong, or swapped with the next one. */
    private static int distance(String a, String b) {
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
