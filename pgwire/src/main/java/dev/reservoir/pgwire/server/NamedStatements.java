package dev.reservoir.pgwire.server;

import dev.reservoir.pgwire.PgError;
import dev.reservoir.pgwire.PgException;
import dev.reservoir.pgwire.message.Frames;
import dev.reservoir.pgwire.message.ServerMessages;
import io.netty.buffer.ByteBuf;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The prepared statements and portals of a client, by name. The empty name is that of the unnamed ones, which a new one
 * replaces. Throws {@link PgException} if a name is wrong. Used only on the event loop.
 */
final class NamedStatements {
    /** Most statements, and most portals, of one client. A driver keeps some hundreds at most. */
    private static final int MOST = 1_000;

    private final Map<String, Prepared> statements = new HashMap<>();
    private final Map<String, Portal> portals = new HashMap<>();

    /** Makes room for a statement of this name, or fails if it cannot be added. */
    void prepareFor(String name) {
        if (name.isEmpty()) {
            closeStatement(name);
        } else {
            checkNew("42P05", "prepared statement", name, statements);
        }
    }

    private static void checkNew(String code, String what, String name, Map<String, ?> present) {
        if (present.containsKey(name)) {
            throw error(code, what + " \"" + name + "\" already exists");
        }
        if (present.size() >= MOST) {
            throw error("53400", "too many " + what + "s (" + present.size() + " >= " + MOST + ")");
        }
    }

    private static PgException error(String code, String message) {
        return new PgException(PgError.error(code, message));
    }

    void add(String name, Prepared prepared) {
        statements.put(name, prepared);
    }

    Prepared statement(String name) {
        Prepared found = statements.get(name);
        if (found == null) {
            throw error("26000", "prepared statement \"" + name + "\" does not exist");
        }
        return found;
    }

    Portal portal(String name) {
        Portal found = portals.get(name);
        if (found == null) {
            throw error("34000", "portal \"" + name + "\" does not exist");
        }
        return found;
    }

    void bind(ByteBuf body) {
        String name = Frames.text(body);
        Prepared statement = statement(Frames.text(body));
        if (!name.isEmpty()) {
            checkNew("42P03", "portal", name, portals);
        }
        List<@Nullable String> values = Formats.read(body).readValues(body, statement.parameterOids());
        Formats formats = Formats.read(body);
        formats.check(statement.columns().size(), "result column");
        portals.put(name, new Portal(statement, values, formats));
    }

    List<ByteBuf> describe(ByteBuf body) {
        boolean isPortal = body.readByte() == 'P';
        String name = Frames.text(body);
        if (isPortal) {
            return List.of(portal(name).description());
        }
        Prepared statement = statement(name);
        return List.of(
                ServerMessages.parameterDescription(statement.parameterOids()), statement.description(Formats.TEXT));
    }

    /** Closes what a Close message names. It is no error if that does not exist. */
    void close(ByteBuf body) {
        boolean isPortal = body.readByte() == 'P';
        String name = Frames.text(body);
        if (isPortal) {
            portals.remove(name);
        } else {
            closeStatement(name);
        }
    }

    /** Closes a statement, if there is one of this name, and its portals. */
    @SuppressWarnings("ReferenceEquality") // another statement may have the same text
    private void closeStatement(String name) {
        Prepared closed = statements.remove(name);
        portals.values().removeIf(portal -> portal.statement() == closed);
    }

    void forgetUnnamed() {
        closeStatement("");
        portals.remove("");
    }

    void forgetPortals() {
        portals.clear();
    }
}
