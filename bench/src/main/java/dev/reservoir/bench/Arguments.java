package dev.reservoir.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Command line arguments as {@code --key value} pairs. Never ignores a key: it rejects a key that is not allowed at
 * once.
 */
public final class Arguments {

    private final Map<String, List<String>> values = new HashMap<>();

    /** Reads the pairs from {@code arguments[from]} on. A key may be repeated. */
    public Arguments(String[] arguments, int from, Set<String> allowed) {
        for (int i = from; i < arguments.length; i += 2) {
            String key = arguments[i].startsWith("--") ? arguments[i].substring(2) : arguments[i];
            if (!allowed.contains(key) || i + 1 == arguments.length) {
                throw new IllegalArgumentException(
                        "argument = " + arguments[i] + ", allowed: --<key> <value> with one of " + allowed);
            }
            values.computeIfAbsent(key, unused -> new ArrayList<>()).add(arguments[i + 1]);
        }
    }

    /** All values of a repeated key, in order. */
    public List<String> all(String key) {
        return values.getOrDefault(key, List.of());
    }

    public String text(String key) {
        List<String> given = all(key);
        if (given.size() != 1) {
            throw new IllegalArgumentException("--" + key + " is given " + given.size() + " times, allowed: once");
        }
        return given.get(0);
    }

    public String text(String key, String otherwise) {
        return all(key).isEmpty() ? otherwise : text(key);
    }

    public int number(String key, int otherwise) {
        return Integer.parseInt(text(key, Integer.toString(otherwise)));
    }

    /** The words of a value, separated by commas. */
    public List<String> list(String key, String otherwise) {
        return Arrays.asList(text(key, otherwise).split(",", -1));
    }

    /** The named words out of the known ones, in the order given, or all of them for "all". */
    public static List<String> choose(String key, String text, Collection<String> known) {
        if (text.equals("all")) {
            return List.copyOf(known);
        }
        List<String> chosen = List.of(text.split(",", -1));
        for (String word : chosen) {
            if (!known.contains(word)) {
                throw new IllegalArgumentException("--" + key + " = " + word + ", allowed: all or some of " + known);
            }
        }
        return chosen;
    }

    public List<Integer> numbers(String key, String otherwise) {
        return list(key, otherwise).stream().map(Integer::valueOf).toList();
    }
}
