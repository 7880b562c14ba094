package dev.reservoir.cluster.protocol;

import dev.reservoir.cluster.ClusterBudget;
import dev.reservoir.cluster.ClusterSettings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.NOPLogger;

/** Finds the logger of a budget. All parts of a budget write to the same one, so that one setting controls them. */
public final class BudgetLog {
    private BudgetLog() {}

    /** Returns the logger. It discards everything if the settings turn logging off. */
    public static Logger of(ClusterSettings settings) {
        return settings.logged() ? LoggerFactory.getLogger(ClusterBudget.class) : NOPLogger.NOP_LOGGER;
    }
}
