package dev.reservoir.bench.dsql;

/**
 * A request that failed.
 *
 * @param process whose it was
 * @param acquiredMillis when it got its connection, since 1970; 0 if it got none
 * @param failedMillis when it failed
 * @param kind what kind of error it was, as the data source's module names it
 * @param message what it said
 */
record SoakFailure(String process, long acquiredMillis, long failedMillis, String kind, String message) {

    /** Reads a line as {@link SoakWorker} writes it. */
    static SoakFailure of(String process, String line) {
        String[] words = line.split(" ", 5);
        if (words.length != 5) {
            throw new IllegalArgumentException("a failure has " + words.length + " words instead of 5: " + line);
        }
        return new SoakFailure(process, Long.parseLong(words[1]), Long.parseLong(words[2]), words[3], words[4]);
    }
}
