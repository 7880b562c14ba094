package dev.reservoir.bench.cluster;

import dev.reservoir.bench.Arguments;

/**
 * The prices of DynamoDB on demand.
 *
 * @param dollarsPerMillionWrites the price of a million write units
 * @param dollarsPerMillionReads the price of a million read units
 */
record Prices(double dollarsPerMillionWrites, double dollarsPerMillionReads) {
    private static final double HOURS_PER_MONTH = 730;

    /** The given prices, or the list prices of us-east-1. */
    static Prices of(Arguments arguments) {
        return new Prices(
                Double.parseDouble(arguments.text("write-price", "0.625")),
                Double.parseDouble(arguments.text("read-price", "0.125")));
    }

    /** The dollars for a month in which each hour consumes these units. */
    double dollarsPerMonth(double writeUnits, double readUnits) {
        return HOURS_PER_MONTH * (writeUnits * dollarsPerMillionWrites + readUnits * dollarsPerMillionReads) / 1e6;
    }
}
