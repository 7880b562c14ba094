package dev.reservoir.emulator.internal.gateway;

import dev.reservoir.emulator.internal.conflict.Call;
import dev.reservoir.emulator.internal.sql.Statement;
import dev.reservoir.emulator.internal.sql.Statements;
import dev.reservoir.pgwire.message.ClientMessages;
import dev.reservoir.pgwire.message.Frames;
import io.netty.buffer.ByteBuf;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Maps a client's prepared statements and portals to their statements. Forgets them no later than the server does. */
final class StatementNames {
    private static final Prepared UNKNOWN = new Prepared(Call.NONE.statement(), Call.NONE.types());

    private final Map<String, Prepared> statements = new HashMap<>();
    private final Map<String, Portal> portals = new HashMap<>();

    /** The result of a Parse: the statement and the types of its parameters. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Prepared(Statement statement, byte[] types) {}

    /** The result of a Bind: the statement, and the formats and parameters. */
    private static final class Portal {
        final Prepared prepared;
        final byte[] values;
        boolean executed;

        Portal(Prepared prepared, byte[] values) {
            this.prepared = prepared;
            this.values = values;
        }
    }

    /**
     * The content of a Parse.
     *
     * @param statement the statement
     * @param frame the message to pass on: the client's own, unless PostgreSQL would not understand it
     */
    record Parsed(Statement statement, ByteBuf frame) {}

    /** Whether the statement of a Parse needs the schema sys. */
    static boolean usesSys(ByteBuf frame) {
        ByteBuf body = Frames.body(frame);
        Frames.text(body);
        return usesSys(Statements.of(Frames.text(body)));
    }

    static boolean usesSys(List<Statement> statements) {
        return statements.stream().anyMatch(Statement::usesSys);
    }

    /** Records a Parse, unless its statement is refused. */
    Parsed parsed(ByteBuf frame, boolean jobs) {
        ByteBuf body = Frames.body(frame);
        String name = Frames.text(body);
        String sql = Frames.text(body);
        List<Statement> found = Statements.of(sql);
        // PostgreSQL accepts only one statement in a Parse and reports the error itself.
        Statement only = found.size() == 1 ? found.get(0) : new Statement(sql, 0, Statement.Kind.OTHER, null);
        Statement statement = jobs ? only.asJob() : only;
        if (statement.refusal() == null) {
            statements.put(name, new Prepared(statement, Frames.rest(body)));
        }
        if (sql.startsWith(statement.sql(), statement.offset())) {
            return new Parsed(statement, frame);
        }
        ByteBuf changed = ClientMessages.parse(name, sql.substring(0, statement.offset()) + statement.sql(), body);
        frame.release();
        return new Parsed(statement, changed);
    }

    /** The call that an Execute of a portal requests, for at most {@code rows} rows. */
    Call call(String portal, int rows) {
        Portal found = portals.get(portal);
        if (found == null) {
            return Call.NONE;
        }
        boolean continues = found.executed;
        found.executed = true;
        return new Call(found.prepared.statement(), found.prepared.types(), found.values, rows, continues);
    }

    /** Records a Bind or a Close; a Describe changes nothing. Returns the kind of the statement that is bound. */
    Statement.Kind note(char type, ByteBuf frame) {
        ByteBuf body = Frames.body(frame);
        if (type == 'B') {
            String portal = Frames.text(body);
            Prepared prepared = statements.getOrDefault(Frames.text(body), UNKNOWN);
            portals.put(portal, new Portal(prepared, Frames.rest(body)));
            return prepared.statement().kind();
        } else if (type == 'C') {
            boolean isPortal = body.readByte() == 'P';
            String name = Frames.text(body);
            if (isPortal) {
                portals.remove(name);
            } else {
                statements.remove(name);
            }
        }
        return Statement.Kind.OTHER;
    }

    void forgetPortals() {
        portals.clear();
    }

    void forget() {
        statements.clear();
        portals.clear();
    }
}
