package dev.reservoir.emulator.internal.conflict;

import dev.reservoir.emulator.internal.upstream.Upstream;
import dev.reservoir.pgwire.PgError;
import dev.reservoir.pgwire.message.ClientMessages;
import dev.reservoir.pgwire.message.Frames;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs the emulator's own statements within a client's transaction, one at a time. Never lets the client see their
 * answers. After an error the server accepts the next statement, but the transaction has failed. Used only on the
 * session's event loop.
 */
public final class OwnStatements {
    /**
     * Most rows kept of one answer. The emulator's own statements return few rows, and the rows of a client's repeated
     * statement are not kept.
     */
    private static final int MOST_ROWS = 1000;

    private static final Result NOTHING = new Result(null, "", 0, List.of());

    /**
     * The result of a statement.
     *
     * @param error the error, or null if the statement succeeded
     * @param tag the command tag of the server
     * @param digest the digest of the answer
     * @param rows the rows of the answer, if they were to be kept
     */
    public record Result(@Nullable PgError error, String tag, long digest, List<List<String>> rows) {}

    private final Upstream upstream;
    private final Runnable whenSent;
    private final RowDigest digest = new RowDigest();
    private final List<List<String>> rows = new ArrayList<>();
    private boolean keepsRows;
    private @Nullable PgError error;
    private @Nullable Consumer<Result> whenDone;

    public OwnStatements(Upstream upstream, Runnable whenSent) {
        this.upstream = upstream;
        this.whenSent = whenSent;
    }

    public boolean isRunning() {
        return whenDone != null;
    }

    public void run(String sql, Consumer<Result> then) {
        begin(then, true);
        Injected.call(upstream, sql, Call.NONE, false);
        send(ClientMessages.flush());
    }

    /** Runs a client's call again, with this SQL. */
    void repeat(String sql, Call call, Consumer<Result> then) {
        begin(then, false);
        Injected.call(upstream, sql, call, false);
        send(ClientMessages.flush());
    }

    /** Makes the server accept statements again after a client's statement has failed. */
    void recover(Runnable then) {
        begin(result -> then.run(), false);
        send(ClientMessages.sync());
    }

    private void begin(Consumer<Result> then, boolean keeps) {
        whenDone = then;
        keepsRows = keeps;
        error = null;
        digest.clear();
        rows.clear();
    }

    private void send(ByteBuf last) {
        upstream.write(last);
        upstream.flush();
        whenSent.run();
    }

    /** Ignores the answers that are still to come. */
    public void abandon() {
        whenDone = null;
    }

    /** Handles an answer of the server and releases it. */
    public void onMessage(ByteBuf frame) {
        try {
            switch (Frames.type(frame)) {
                case 'D' -> row(frame);
                case 'C' -> ended(Frames.text(Frames.body(frame)));
                case 'I', 's' -> ended("");
                case 'E' -> {
                    error = Frames.error(frame);
                    send(ClientMessages.sync());
                }
                case 'Z' -> end(error == null ? NOTHING : new Result(error, "", 0, List.of()));
                default -> {
                    // Answers to Close, Parse and Bind, notices, and parameters that the client already knows.
                }
            }
        } finally {
            frame.release();
        }
    }

    private void row(ByteBuf frame) {
        digest.row(frame);
        if (keepsRows && rows.size() < MOST_ROWS) {
            rows.add(Frames.columns(frame));
        }
    }

    private void ended(String tag) {
        end(new Result(null, tag, digest.ended(tag), List.copyOf(rows)));
    }

    private void end(Result result) {
        Consumer<Result> then = whenDone;
        whenDone = null;
        if (then != null) {
            then.accept(result);
        }
    }
}
