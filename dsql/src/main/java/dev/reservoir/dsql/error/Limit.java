package dev.reservoir.dsql.error;

import java.util.Locale;

/** The limits that Aurora DSQL answers with an error of their own. */
public enum Limit {
    /** New connections a second, over the whole cluster (53400). */
    RATE,
    /** Open connections, over the whole cluster (53300). */
    COUNT,
    /** Rows that one transaction changes: 3,000 (54000). */
    ROWS,
    /** Bytes that one transaction changes: 10 MiB (54000). */
    SIZE,
    /** How long one transaction takes: 300 s (54000). */
    AGE,
    /** Memory that one transaction uses: 128 MiB (53200). */
    MEMORY,
    /** Another limit of the server, as its message says (class 54). */
    OTHER;

    /** Its name in metrics and messages. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
