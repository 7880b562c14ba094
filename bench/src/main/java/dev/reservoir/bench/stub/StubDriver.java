package dev.reservoir.bench.stub;

import java.util.concurrent.atomic.AtomicInteger;

/** Opens {@link StubConnection}s for URLs that begin with {@value #PREFIX}. Never waits and never fails. */
public final class StubDriver extends LocalDriver {

    public static final String PREFIX = "jdbc:stub:";

    /** The URL for a pool. */
    public static final String URL = PREFIX + "bench";

    private static final AtomicInteger OPENED = new AtomicInteger();

    static {
        register(new StubDriver());
    }

    public StubDriver() {
        super(PREFIX);
    }

    /** The number of connections opened in this process. */
    public static int opened() {
        return OPENED.get();
    }

    @Override
    protected StubConnection open(String rest) {
        OPENED.incrementAndGet();
        return new StubConnection();
    }
}
