package dev.reservoir.emulator.internal.upstream;

import io.netty.channel.EventLoop;
import java.util.Map;
import java.util.function.Consumer;

/** Where sessions get their server's end from. */
public interface Upstreams extends AutoCloseable {

    /**
     * Begins a session with the server. Its first answers are those that end a startup: parameters, key and ready. Never blocks.
     *
     * @param startup what the client asked for, {@code user} among it
     */
    void open(EventLoop loop, Map<String, String> startup, Opening opening);

    /** Asks the server to cancel what a session is doing, and says when it has been asked, or cannot be. Never blocks. */
    void cancel(EventLoop loop, int processId, int secret, Runnable asked);

    /** Sees to it that the schema {@code sys} is there, and says on the event loop whether it is. Never blocks. */
    void prepareSys(EventLoop loop, Consumer<Boolean> then);

    /** Whether sessions may wait for locks of each other. */
    boolean knowsLocks();

    /** Ends what was started for the sessions. May block for a short while. */
    @Override
    void close();

    /** Connects an upstream with who listens to it. */
    interface Opening {
        /** The upstream is there; nothing has been answered yet. Called on the event loop. */
        Upstream.Listener opened(Upstream upstream);

        /** There will be none. Called on the event loop. */
        void failed(Throwable cause);
    }
}
