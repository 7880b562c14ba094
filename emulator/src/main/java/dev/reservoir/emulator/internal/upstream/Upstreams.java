package dev.reservoir.emulator.internal.upstream;

import io.netty.channel.EventLoop;
import java.util.Map;
import java.util.function.Consumer;

/** Opens the server's ends of sessions. */
public interface Upstreams {

    /**
     * Opens a session with the server. Its first answers are those that end a startup: parameters, key and ready. Never
     * blocks.
     *
     * @param startup the client's startup parameters, including {@code user}
     */
    void open(EventLoop loop, Map<String, String> startup, Opening opening);

    /**
     * Asks the server to cancel the statement of a session. Runs {@code asked} when the server has the request or
     * cannot be reached. Never blocks.
     */
    void cancel(EventLoop loop, int processId, int secret, Runnable asked);

    /**
     * Creates the schema {@code sys} if it is missing, and tells {@code then} on the event loop whether it exists.
     * Never blocks.
     */
    void prepareSys(EventLoop loop, Consumer<Boolean> then);

    /** Whether sessions can wait for each other's locks. */
    boolean knowsLocks();

    /** Receives the result of one {@link Upstreams#open}. */
    interface Opening {
        /**
         * The session is open and the server has answered nothing yet. Called on the event loop. Returns the listener
         * of the session.
         */
        Upstream.Listener opened(Upstream upstream);

        /** The session could not be opened. Called on the event loop. */
        void failed(Throwable cause);
    }
}
