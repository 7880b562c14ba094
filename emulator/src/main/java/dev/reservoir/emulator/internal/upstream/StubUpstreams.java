package dev.reservoir.emulator.internal.upstream;

import io.netty.channel.EventLoop;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Opens sessions without a server. Each session answers for itself. */
public final class StubUpstreams implements Upstreams {
    private final AtomicInteger processIds = new AtomicInteger();

    @Override
    public void open(EventLoop loop, Map<String, String> startup, Opening opening) {
        loop.execute(() -> {
            StubUpstream upstream = new StubUpstream(loop);
            upstream.greet(opening.opened(upstream), processIds.incrementAndGet());
        });
    }

    @Override
    public void cancel(EventLoop loop, int processId, int secret, Runnable asked) {
        // No statement here takes long enough to be cancelled.
        asked.run();
    }

    @Override
    public void prepareSys(EventLoop loop, Consumer<Boolean> then) {
        then.accept(false);
    }

    @Override
    public boolean knowsLocks() {
        return false;
    }
}
