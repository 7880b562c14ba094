package dev.reservoir.emulator.internal.gateway;

import dev.reservoir.emulator.internal.sql.Statement;
import dev.reservoir.emulator.internal.sql.Statements;
import dev.reservoir.emulator.internal.wire.Wire;
import io.netty.buffer.ByteBuf;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Which statement a client's prepared statements and portals stand for. Forgets them no later than the server does. */
final class Names {
    private static final Statement UNKNOWN = new Statement("", 0, Statement.Kind.OTHER, null);
    private static final Portal NONE = new Portal(UNKNOWN, 0);

    private final Map<String, Statement> statements = new HashMap<>();
    private final Map<String, Portal> portals = new HashMap<>();

    /**
     * What a portal will carry out.
     *
     * @param statement the statement
     * @param bytes its length with its parameters
     */
    record Portal(Statement statement, long bytes) {}

    /**
     * What a Parse asks for.
     *
     * @param statement the statement
     * @param frame the message to pass on: the client's own, unless PostgreSQL would not understand it
     */
    record Parsed(Statement statement, ByteBuf frame) {}

    /** Takes note of a Parse, unless its statement is refused. */
    Parsed parsed(ByteBuf frame) {
        ByteBuf body = Wire.body(frame);
        String name = Wire.text(body);
        String sql = Wire.text(body);
        List<Statement> found = Statements.of(sql);
        // PostgreSQL takes no more than one in a Parse, and says so.
        Statement statement = found.size() == 1 ? found.get(0) : new Statement(sql, 0, Statement.Kind.OTHER, null);
        if (statement.refusal() == null) {
            statements.put(name, statement);
        }
        if (sql.startsWith(statement.sql(), statement.offset())) {
            return new Parsed(statement, frame);
        }
        ByteBuf changed = Wire.parse(name, sql.substring(0, statement.offset()) + statement.sql(), body);
        frame.release();
        return new Parsed(statement, changed);
    }

    Portal portal(String name) {
        return portals.getOrDefault(name, NONE);
    }

    /** Takes note of a Bind or a Close; a Describe changes nothing. */
    void note(char type, ByteBuf frame) {
        ByteBuf body = Wire.body(frame);
        if (type == 'B') {
            String portal = Wire.text(body);
            Statement statement = statements.getOrDefault(Wire.text(body), UNKNOWN);
            portals.put(portal, new Portal(statement, statement.sql().length() + body.readableBytes()));
        } else if (type == 'C') {
            boolean isPortal = body.readByte() == 'P';
            String name = Wire.text(body);
            if (isPortal) {
                portals.remove(name);
            } else {
                statements.remove(name);
            }
        }
    }

    void forgetPortals() {
        portals.clear();
    }

    void forget() {
        statements.clear();
        portals.clear();
    }
}
