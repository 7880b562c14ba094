package dev.reservoir.remote.sql;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The procedures that {@code CALL} knows. */
enum Procedure {
    WARMUP_POOL(1, "server", "number"),
    EVICT_IDLE_CONNECTIONS(0, "server"),
    CLOSE_ALL_CONNECTIONS(0, "server"),
    RESET_CONNECTION(2, "server", "connection_id");

    static final String SCHEMA = "sys";

    private final int argumentsMin;
    /** Separated by a space. */
    private final String arguments;

    Procedure(int argumentsMin, String... arguments) {
        this.argumentsMin = argumentsMin;
        this.arguments = String.join(" ", arguments);
    }

    static @Nullable Procedure named(String name) {
        return Arrays.stream(values())
                .filter(one -> one.label().equals(name))
                .findFirst()
                .orElse(null);
    }

    static List<String> labels() {
        return Arrays.stream(values()).map(Procedure::label).toList();
    }

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    int argumentsMin() {
        return argumentsMin;
    }

    int argumentsMax() {
        return names().length;
    }

    /** Name and arguments, such as {@code sys.warmup_pool(server [, number])}. */
    String signature() {
        StringBuilder list = new StringBuilder();
        String[] names = names();
        for (int i = 0; i < names.length; i++) {
            String separator = i == 0 ? "" : ", ";
            list.append(i < argumentsMin ? separator + names[i] : optional(separator, names[i]));
        }
        return SCHEMA + "." + label() + "(" + list + ")";
    }

    private String[] names() {
        return arguments.split(" ", -1);
    }

    private static String optional(String separator, String argument) {
        return (separator.isEmpty() ? "[" : " [" + separator) + argument + "]";
    }
}
