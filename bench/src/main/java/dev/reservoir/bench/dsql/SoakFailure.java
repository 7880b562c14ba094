package dev.reservoir.bench.dsql;

/**
 * A request that failed.
 *
 * @param process the process that sent it
 * @param acquiredMillis when it got its connection, in milliseconds since 1970, or 0 if it got none
 * @param failedMillis when it failed
 * @param kind the kind of the error, as the module dsql names it
 * @param message the message of the error
 */
record SoakFailure(String process, long acquiredMillis, long failedMillis, String kind, String message) {

    /** Reads a line that {@link SoakWorker} has written. */
    static SoakFailure of(String process, String line) {
        String[] words = line.split(" ", 5);
        if (words.length != 5) {
            throw new IllegalArgumentException("a failure has " + words.length + " words instead of 5: " + line);
        }
        return new SoakFailure(process, Long.parseLong(words[1]), Long.parseLong(words[2]), words[3], words[4]);
    }
}
