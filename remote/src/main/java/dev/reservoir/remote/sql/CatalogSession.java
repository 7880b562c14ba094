package dev.reservoir.remote.sql;

import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.ServerOptions;
import dev.reservoir.remote.sql.CatalogStatement.Argument;
import dev.reservoir.remote.sql.CatalogStatement.Call;
import java.sql.SQLException;
import java.util.List;

/**
 * Executes statements for servers and user mappings on a catalog, and calls on the registry, for one local user. May be
 * used by several threads.
 */
public final class CatalogSession {
    private final Catalog catalog;
    private final SysProcedures procedures;
    private final StatementApplier applier;

    /**
     * A session of one user.
     *
     * @param currentUser the local user that {@code CURRENT_USER} means, and the owner of new servers
     */
    public CatalogSession(Catalog catalog, SysProcedures procedures, String currentUser) {
        this.catalog = catalog;
        this.procedures = procedures;
        this.applier = new StatementApplier(catalog, currentUser);
    }

    /** Whether the text begins like a statement for a catalog, or like a call. */
    public static boolean knows(String sql) {
        return CatalogParser.knows(sql);
    }

    /** Parses the text and executes nothing. Throws {@link StatementException} if it cannot be parsed. */
    public static void check(String sql) throws RemoteException {
        CatalogParser.parse(sql);
    }

    /**
     * Executes statements that are separated by semicolons. Their changes of the catalog take effect together or not at
     * all. After that, the calls are made in their order; the first that fails ends the execution. A call may block.
     *
     * @return the command tags of the statements, such as {@code CREATE SERVER}
     * @throws StatementException with the place of an error in the text
     */
    public List<String> execute(String sql) throws SQLException {
        List<CatalogStatement> statements = CatalogParser.parse(sql);
        if (statements.stream().anyMatch(statement -> !(statement instanceof Call))) {
            catalog.change(draft -> {
                for (CatalogStatement statement : statements) {
                    applier.apply(statement, draft);
                }
            });
        }
        for (CatalogStatement statement : statements) {
            if (statement instanceof Call call) {
                run(call);
            }
        }
        return statements.stream().map(CatalogStatement::tag).toList();
    }

    private void run(Call call) throws SQLException {
        try {
            switch (call.procedure()) {
                case WARMUP_POOL -> warmup(call.arguments());
                case EVICT_IDLE_CONNECTIONS -> {
                    for (String server : servers(call.arguments())) {
                        procedures.evictIdleConnections(server);
                    }
                }
                case CLOSE_ALL_CONNECTIONS -> {
                    for (String server : servers(call.arguments())) {
                        procedures.closeAllConnections(server);
                    }
                }
                case RESET_CONNECTION ->
                    procedures.resetConnection(
                            server(call.arguments().get(0)).name(),
                            number(call.arguments().get(1), "connection_id", 0, Long.MAX_VALUE));
            }
        } catch (RemoteException e) {
            throw StatementException.at(call.position(), e);
        }
    }

    private void warmup(List<Argument> arguments) throws SQLException {
        ServerDefinition server = server(arguments.get(0));
        long count = arguments.size() > 1
                ? number(arguments.get(1), "number", 0, ServerOptions.CONNECTIONS_MAX)
                : server.pool().warmupConnections();
        procedures.warmupPool(server.name(), (int) count);
    }

    /** The server that is named, or all. */
    private List<String> servers(List<Argument> arguments) throws StatementException {
        return arguments.isEmpty()
                ? catalog.servers().stream().map(ServerDefinition::name).toList()
                : List.of(server(arguments.get(0)).name());
    }

    private ServerDefinition server(Argument argument) throws StatementException {
        try {
            return catalog.server(argument.text());
        } catch (RemoteException e) {
            throw StatementException.at(argument.position(), e);
        }
    }

    private static long number(Argument argument, String name, long least, long most) throws StatementException {
        String text = argument.text();
        if (text.matches("\\d{1,18}")) {
            long number = Long.parseLong(text);
            if (number >= least && number <= most) {
                return number;
            }
        }
        String allowed = most == Long.MAX_VALUE ? "a whole number" : least + " to " + most;
        throw StatementException.at(
                argument.position(), RemoteException.invalidOption("argument " + name, cut(text), allowed));
    }

    private static String cut(String text) {
        return text.length() <= 40 ? text : text.substring(0, 40) + "...";
    }
}
