package dev.reservoir.bench.rationed;

import java.time.Duration;

/**
 * Which connects hang, counted from the first attempt, and for how long.
 *
 * @param first the number of the first attempt that hangs
 * @param every the number of attempts from one that hangs to the next
 * @param atMost the most attempts that hang
 * @param hangTime the time added to the connect time
 */
public record HungConnects(long first, long every, int atMost, Duration hangTime) {

    public static final HungConnects NONE = new HungConnects(1, 1, 0, Duration.ZERO);

    public HungConnects {
        if (first < 1 || every < 1 || atMost < 0) {
            throw new IllegalArgumentException("first = " + first + ", every = " + every + ", atMost = " + atMost
                    + ", allowed: 1 or more, 1 or more, 0 or more");
        }
    }

    long extraNanos(long attempt) {
        long offset = attempt - first;
        boolean hangs = offset >= 0 && offset % every == 0 && offset / every < atMost;
        return hangs ? hangTime.toNanos() : 0;
    }
}
