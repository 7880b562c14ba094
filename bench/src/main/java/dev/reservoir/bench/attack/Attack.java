package dev.reservoir.bench.attack;

/** One attack. */
interface Attack {

    /**
     * Runs the attack and adds its findings to the verdict. Blocks until the attack is over; the caller gives up after
     * a time limit.
     */
    void run(Verdict verdict) throws Exception;
}
