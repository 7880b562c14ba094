package dev.reservoir.bench.trouble;

import dev.reservoir.bench.report.Results;
import java.io.IOException;

/** One kind of failure. Every wait in it is bounded. */
interface TroubleCase {

    interface Finding {
        void write(Results results) throws IOException;
    }

    /** Runs the case for one pool. Blocks until it has ended. */
    Finding run(Trial trial) throws Exception;
}
