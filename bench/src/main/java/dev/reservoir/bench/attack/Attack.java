package dev.reservoir.bench.attack;

/** One attack. */
interface Attack {

    /** Runs it and puts what it found into the verdict. Blocks until it is over; the caller gives up after a while. */
    void run(Verdict verdict) throws Exception;
}
