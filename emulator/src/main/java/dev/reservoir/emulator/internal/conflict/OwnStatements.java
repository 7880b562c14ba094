package dev.reservoir.emulator.internal.conflict;

import dev.reservoir.emulator.internal.upstream.Upstream;
import dev.reservoir.emulator.internal.wire.Problem;
import dev.reservoir.emulator.internal.wire.Wire;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Carries out statements of the emulator's own within a client's transaction, one at a time, and keeps their answers from the client.
 * After an error the server is ready for the next statement, but the transaction has failed. Used on the session's event loop alone.
 */
public final class OwnStatements {
    /** The emulator's own statements give few rows; those of a client that are repeated are not kept. */
    private static final int MOST_ROWS = 1000;

    private static final Result NOTHING = new Result(null, "", 0, List.of());

    /**
     * What came of a statement.
     *
     * @param problem why it failed; null if it did not
     * @param tag how the server named what it did
     * @param digest of the answer
     * @param rows of the answer, if they were to be kept
     */
    public record Result(@Nullable Problem problem, String tag, long digest, List<List<String>> rows) {}

    private final Upstream upstream;
    private final Runnable whenSent;
    private final RowDigest digest = new RowDigest();
    private final List<List<String>> rows = new ArrayList<>();
    private boolean keepsRows;
    private @Nullable Problem problem;
    private @Nullable Consumer<Result> told;

    public OwnStatements(Upstream upstream, Runnable whenSent) {
        this.upstream = upstream;
        this.whenSent = whenSent;
    }

    public boolean isRunning() {
        return told != null;
    }

    /** Carries out a statement and keeps its rows. */
    public void run(String sql, Consumer<Result> then) {
        begin(then, true);
        Injected.call(upstream, sql, Call.NONE, false);
        send(Wire.flush());
    }

    /** Carries out a client's statement once more, in these words. */
    void repeat(String sql, Call call, Consumer<Result> then) {
        begin(then, false);
        Injected.call(upstream, sql, call, false);
        send(Wire.flush());
    }

    /** After an error of a client's statement: lets the server take statements again. */
    void recover(Runnable then) {
        begin(result -> then.run(), false);
        send(Wire.sync());
    }

    private void begin(Consumer<Result> then, boolean keeps) {
        told = then;
        keepsRows = keeps;
        problem = null;
        digest.clear();
        rows.clear();
    }

    private void send(ByteBuf last) {
        upstream.write(last);
        upstream.flush();
        whenSent.run();
    }

    /** Gives up on the answers that are to come. */
    public void abandon() {
        told = null;
    }

    /** Takes an answer of the server, and releases it. */
    public void onMessage(ByteBuf frame) {
        try {
            switch (Wire.type(frame)) {
                case 'D' -> row(frame);
                case 'C' -> ended(Wire.text(Wire.body(frame)));
                case 'I', 's' -> ended("");
                case 'E' -> {
                    problem = Problem.read(frame);
                    send(Wire.sync());
                }
                case 'Z' -> end(problem == null ? NOTHING : new Result(problem, "", 0, List.of()));
                default -> {
                    // Answers to Close, Parse and Bind, notices, and parameters that the client knows already.
                }
            }
        } finally {
            frame.release();
        }
    }

    private void row(ByteBuf frame) {
        digest.row(frame);
        if (keepsRows && rows.size() < MOST_ROWS) {
            rows.add(Wire.columns(frame));
        }
    }

    private void ended(String tag) {
        end(new Result(null, tag, digest.ended(tag), List.copyOf(rows)));
    }

    private void end(Result result) {
        Consumer<Result> then = told;
        told = null;
        if (then != null) {
            then.accept(result);
        }
    }
}
