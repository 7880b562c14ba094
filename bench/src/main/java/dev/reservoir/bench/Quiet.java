package dev.reservoir.bench;

import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.Logger;

/** Turns off what pools say about refused connects, so that nothing but the pool is measured. */
public final class Quiet {

    private Quiet() {}

    /** Silences java.util.logging; Logback is silent by its own configuration. */
    public static void logs() {
        LogManager.getLogManager().reset();
        Logger.getLogger("").setLevel(Level.OFF);
    }
}
