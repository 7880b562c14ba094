package dev.reservoir.sim.report;

import dev.reservoir.sim.result.Outcome;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Names outcomes in as few words as tell them apart. */
final class Labels {
    private Labels() {}

    /** One label for each outcome, all different. */
    static List<String> of(List<Outcome> outcomes) {
        boolean names = differ(outcomes, o -> o.scenario().name());
        boolean pools = differ(outcomes, o -> o.pool().label());
        boolean seeds = differ(outcomes, o -> Long.toString(o.scenario().seed()));
        List<String> labels = new ArrayList<>();
        for (Outcome outcome : outcomes) {
            List<String> words = new ArrayList<>();
            if (names || (!pools && !seeds)) {
                words.add(outcome.scenario().name());
            }
            if (pools) {
                words.add(outcome.pool().label());
            }
            if (seeds) {
                words.add("seed " + outcome.scenario().seed());
            }
            labels.add(String.join(", ", words));
        }
        return numbered(labels);
    }

    /** The title of the page. */
    static String title(List<Outcome> outcomes) {
        String names =
                outcomes.stream().map(o -> o.scenario().name()).distinct().collect(Collectors.joining(" and "));
        boolean named = differ(outcomes, o -> o.scenario().name());
        return outcomes.size() == 1 || named ? names : names + ": " + String.join(", ", of(outcomes));
    }

    private static boolean differ(List<Outcome> outcomes, Function<Outcome, String> word) {
        return outcomes.stream().map(word).distinct().count() > 1;
    }

    private static List<String> numbered(List<String> labels) {
        List<String> unique = new ArrayList<>();
        for (int i = 0; i < labels.size(); i++) {
            String label = labels.get(i);
            boolean alone = Collections.frequency(labels, label) == 1;
            unique.add(alone ? label : label + " (" + (i + 1) + ")");
        }
        return unique;
    }
}
