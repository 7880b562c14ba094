package dev.reservoir.pgwire.server;

import dev.reservoir.pgwire.PgError;
import dev.reservoir.pgwire.PgException;
import dev.reservoir.pgwire.message.Frames;
import dev.reservoir.pgwire.sql.SqlText;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a Parse message says.
 *
 * @param name the name of the prepared statement
 * @param text the statement, or null if the text is empty
 * @param typeOids the types of the parameters, 0 where the client names none
 */
record ParseMessage(String name, @Nullable SqlText text, List<Integer> typeOids) {

    static ParseMessage read(ByteBuf body) {
        String name = Frames.text(body);
        List<SqlText> found = SqlText.split(Frames.text(body));
        if (found.size() > 1) {
            throw new PgException(PgError.error("42601", "cannot insert multiple commands into a prepared statement"));
        }
        List<Integer> typeOids = new ArrayList<>();
        for (int left = body.readUnsignedShort(); left > 0; left--) {
            typeOids.add(body.readInt());
        }
        return new ParseMessage(name, found.isEmpty() ? null : found.get(0), typeOids);
    }
}
