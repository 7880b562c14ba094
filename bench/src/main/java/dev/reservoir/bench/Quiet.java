package dev.reservoir.bench;

import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.Logger;

/** Switches the logs of the pools off, so that messages about refused connects do not distort the figures. */
public final class Quiet {

    private Quiet() {}

    /** Silences java.util.logging. Logback is silent by its own configuration. */
    public static void logs() {
        LogManager.getLogManager().reset();
        Logger.getLogger("").setLevel(Level.OFF);
    }
}
