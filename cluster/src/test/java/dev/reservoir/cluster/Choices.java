package dev.reservoir.cluster;

import java.util.ArrayList;
import java.util.List;

/**
 * Goes through every sequence of choices, one after the other: each run of a scenario asks it what to do, and after the
 * run the last choice that has another option takes it.
 */
final class Choices {
    private final List<Integer> taken = new ArrayList<>();
    private final List<Integer> options = new ArrayList<>();
    private int position;

    /** One of so many, from 0. */
    int choose(int n) {
        if (position == taken.size()) {
            taken.add(0);
            options.add(n);
        } else if (options.get(position) != n) {
            throw new AssertionError("the scenario is not the same twice: " + n + " options, there were "
                    + options.get(position) + " after " + taken.subList(0, position));
        }
        return taken.get(position++);
    }

    /**
     * Turns to the next sequence, leaving out all that begin as this run's did up to where it ended; false after the
     * last.
     */
    boolean next() {
        while (taken.size() > position) {
            dropLast();
        }
        while (!taken.isEmpty() && taken.get(taken.size() - 1) + 1 >= options.get(options.size() - 1)) {
            dropLast();
        }
        position = 0;
        if (taken.isEmpty()) {
            return false;
        }
        taken.set(taken.size() - 1, taken.get(taken.size() - 1) + 1);
        return true;
    }

    private void dropLast() {
        taken.remove(taken.size() - 1);
        options.remove(options.size() - 1);
    }

    @Override
    public String toString() {
        return taken.subList(0, Math.min(position, taken.size())).toString();
    }
}
