package dev.reservoir.bench.trouble;

import dev.reservoir.bench.report.Results;
import java.io.IOException;

/** One kind of failure. Every wait in it has a bound. */
interface TroubleCase {

    /** Writes what was measured. */
    interface Finding {
        void write(Results results) throws IOException;
    }

    /** Runs the case for one pool. Blocks until it is over. */
    Finding run(Trial trial) throws Exception;
}
