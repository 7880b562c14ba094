package dev.reservoir.remote;

/** Receives every change of a server's health, one after the other, on a thread of the registry. */
@FunctionalInterface
public interface HealthListener {

    /** Called after the change. The registry logs an exception and otherwise ignores it. */
    void healthChanged(HealthEvent event);
}
