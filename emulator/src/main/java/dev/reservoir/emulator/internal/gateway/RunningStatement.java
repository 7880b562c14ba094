package dev.reservoir.emulator.internal.gateway;

import dev.reservoir.emulator.internal.conflict.Call;
import dev.reservoir.emulator.internal.conflict.RowDigest;
import dev.reservoir.emulator.internal.sql.Statement.Kind;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/**
 * The statement that runs, or that ran last, and its answer so far. Holds rows back while the statement may have to be
 * repeated. Used only on the client's event loop.
 */
final class RunningStatement {
    /**
     * Most rows kept of a locking statement until it ends, so that it can be repeated. The bound limits memory: a
     * statement with more rows cannot be repeated.
     */
    private static final int MOST_HELD = 3_000;

    private final ClientChannel client;
    private final RowDigest digest = new RowDigest();

    /** Rows that the client has not got yet. */
    private final List<ByteBuf> held = new ArrayList<>();

    // Only this class changes the fields below. The other classes of the session read them.
    Call call = Call.NONE;

    /** The length of the statement, of its parameters and of the data that the client has copied so far. */
    long bytes;

    /** Whether the client has got a part of the answer. */
    boolean delivered;

    /** Whether the client knows the columns, in a simple query. */
    boolean described;

    /** Whether the statement failed on the server with a duplicate key and now runs on copies. */
    boolean probing;

    RunningStatement(ClientChannel client) {
        this.client = client;
    }

    void begin(Call begun, long length) {
        call = begun;
        bytes = length;
        digest.clear();
        delivered = false;
        described = false;
        probing = false;
    }

    /** It failed because of another transaction and runs once more. */
    void beginAgain(boolean duplicateKey) {
        digest.clear();
        probing = duplicateKey;
    }

    Kind kind() {
        return call.kind();
    }

    void copied(long more) {
        bytes += more;
    }

    long digest(String tag) {
        return digest.ended(tag);
    }

    /** Gives the client a row, now or when the statement has ended. */
    void row(ByteBuf frame, boolean isWriting) {
        if (isWriting) {
            digest.row(frame);
            if (kind() == Kind.LOCKING && !delivered && held.size() < MOST_HELD) {
                held.add(frame);
                return;
            }
        }
        deliverHeld();
        deliver(frame);
    }

    void deliver(ByteBuf frame) {
        delivered = true;
        client.deliver(frame);
    }

    void describe(ByteBuf frame) {
        described = true;
        client.deliver(frame);
    }

    void deliverHeld() {
        held.forEach(client::deliver);
        held.clear();
    }

    void releaseHeld() {
        held.forEach(ByteBuf::release);
        held.clear();
    }
}
