package dev.reservoir.dsql.error;

import java.util.Locale;

/** The limits for which Aurora DSQL has an error of its own. */
public enum Limit {
    /** New connections per second in the whole cluster (53400). */
    RATE,
    /** Open connections in the whole cluster (53300). */
    COUNT,
    /** Rows that one transaction changes: 3,000 (54000). */
    ROWS,
    /** Bytes that one transaction changes: 10 MiB (54000). */
    SIZE,
    /** Duration of one transaction: 300 s (54000). */
    AGE,
    /** Memory that one transaction uses: 128 MiB (53200). */
    MEMORY,
    /** Another limit of the server (class 54). The server's message names it. */
    OTHER;

    /** The name in metrics and messages. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
