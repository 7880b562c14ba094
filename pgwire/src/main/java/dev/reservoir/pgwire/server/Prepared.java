package dev.reservoir.pgwire.server;

import dev.reservoir.pgwire.Column;
import dev.reservoir.pgwire.PgType;
import dev.reservoir.pgwire.PreparedQuery;
import dev.reservoir.pgwire.message.ServerMessages;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A prepared statement of a client.
 *
 * @param query what runs it, or null if its text is empty
 * @param offset the position in the client's text at which it begins, in characters
 * @param parameterOids the types of its parameters, by their object ids
 * @param columns the columns of its rows
 */
record Prepared(@Nullable PreparedQuery query, int offset, List<Integer> parameterOids, List<Column> columns) {
    /** A statement without text. Each is another one, because closing one closes only its own portals. */
    static Prepared empty() {
        return new Prepared(null, 0, List.of(), List.of());
    }

    /** A statement with the types that the client has named, 0 where it has named none. */
    static Prepared of(PreparedQuery query, int offset, List<Integer> named) {
        List<PgType> types = query.parameterTypes();
        List<Integer> oids = new ArrayList<>();
        for (int i = 0; i < types.size(); i++) {
            boolean isNamed = i < named.size() && named.get(i) != 0;
            oids.add(isNamed ? named.get(i) : types.get(i).oid());
        }
        return new Prepared(query, offset, List.copyOf(oids), List.copyOf(query.columns()));
    }

    /** The message that describes its rows in these formats, or says that it has none. */
    ByteBuf description(Formats formats) {
        return columns.isEmpty() ? ServerMessages.noData() : ServerMessages.rowDescription(columns, formats::of);
    }
}
