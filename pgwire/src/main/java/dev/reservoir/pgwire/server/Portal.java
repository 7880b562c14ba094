package dev.reservoir.pgwire.server;

import dev.reservoir.pgwire.Column;
import dev.reservoir.pgwire.PgError;
import dev.reservoir.pgwire.PgException;
import dev.reservoir.pgwire.PreparedQuery;
import dev.reservoir.pgwire.QueryResult;
import dev.reservoir.pgwire.message.ServerMessages;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A prepared statement with its parameters, and how far its result has been sent. Used by one thread at a time: the
 * event loop, or a worker thread during {@link #fetch}.
 */
final class Portal {
    /** Most rows of one batch. Between two batches the client can cancel, and its connection can refuse more. */
    private static final int BATCH_ROWS = 200;

    /** A batch ends with the row that crosses this bound. */
    private static final int BATCH_BYTES = 64 << 10;

    private final Prepared statement;
    private final List<@Nullable String> parameters;
    private final Formats formats;

    private @Nullable QueryResult result;

    /** Whether it cannot be executed again: its command has ended, or it has failed. A query that has ended can. */
    private boolean isSpent;

    /** Rows sent since the last Execute. */
    private long sent;

    Portal(Prepared statement, List<@Nullable String> parameters, Formats formats) {
        this.statement = statement;
        this.parameters = parameters;
        this.formats = formats;
    }

    /**
     * A part of a result.
     *
     * @param rows the messages with the rows
     * @param isLast whether the result has ended
     */
    record Batch(List<ByteBuf> rows, boolean isLast) {}

    Prepared statement() {
        return statement;
    }

    ByteBuf description() {
        return statement.description(formats);
    }

    /** Whether the statement has run and has returned rows. */
    boolean hasRows() {
        return result != null && result.rows() != null;
    }

    /** Fails if the statement has run and cannot go on. */
    void beginExecute() {
        if (isSpent) {
            throw new PgException(PgError.error("55000", "the portal cannot be run any more"));
        }
        sent = 0;
    }

    /** The command tag for the rows since the last Execute. */
    String tag() {
        return result == null ? "" : result.tag(sent);
    }

    /** Runs the statement if it has not run yet, and takes at most this many of its rows. May block. */
    Batch fetch(long most) throws InterruptedException {
        PreparedQuery query = statement.query();
        isSpent = true;
        if (result == null && query != null) {
            result = query.execute(parameters);
        }
        Iterator<List<@Nullable String>> rows = result == null ? null : result.rows();
        List<ByteBuf> messages = new ArrayList<>();
        if (rows == null) {
            return new Batch(messages, true);
        }
        int bytes = 0;
        while (messages.size() < Math.min(most, BATCH_ROWS) && bytes < BATCH_BYTES && rows.hasNext()) {
            ByteBuf row = encode(rows.next());
            bytes += row.readableBytes();
            messages.add(row);
        }
        sent += messages.size();
        isSpent = false;
        return new Batch(messages, !rows.hasNext());
    }

    private ByteBuf encode(List<@Nullable String> row) {
        List<Column> columns = statement.columns();
        if (row.size() != columns.size()) {
            throw new IllegalStateException(
                    "bug: a row with " + row.size() + " values; its statement has " + columns.size() + " columns");
        }
        List<byte @Nullable []> values = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            String value = row.get(i);
            values.add(value == null ? null : formats.encode(i, columns.get(i).type(), value));
        }
        return ServerMessages.dataRow(values);
    }
}
