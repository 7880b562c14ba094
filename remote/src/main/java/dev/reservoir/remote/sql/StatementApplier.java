package dev.reservoir.remote.sql;

import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.UserMapping;
import dev.reservoir.remote.sql.CatalogStatement.AlterMapping;
import dev.reservoir.remote.sql.CatalogStatement.AlterServer;
import dev.reservoir.remote.sql.CatalogStatement.CreateMapping;
import dev.reservoir.remote.sql.CatalogStatement.CreateServer;
import dev.reservoir.remote.sql.CatalogStatement.DropMapping;
import dev.reservoir.remote.sql.CatalogStatement.DropServer;
import dev.reservoir.remote.sql.CatalogStatement.ServerName;
import dev.reservoir.remote.sql.CatalogStatement.UserName;
import java.time.Instant;
import java.util.List;

/** Applies statements to a draft of a catalog. Every error has the place in the text that caused it. Makes no calls. */
final class StatementApplier {
    private final Catalog catalog;
    private final String currentUser;

    StatementApplier(Catalog catalog, String currentUser) {
        this.catalog = catalog;
        this.currentUser = currentUser;
    }

    void apply(CatalogStatement statement, CatalogDraft draft) throws StatementException {
        try {
            if (statement instanceof CreateServer create) {
                create(create, draft);
            } else if (statement instanceof AlterServer alter) {
                alter(alter, draft);
            } else if (statement instanceof DropServer drop) {
                drop(drop, draft);
            } else if (statement instanceof CreateMapping create) {
                create(create, draft);
            } else if (statement instanceof AlterMapping alter) {
                alter(alter, draft);
            } else if (statement instanceof DropMapping drop) {
                drop(drop, draft);
            }
        } catch (RemoteException e) {
            throw StatementException.at(statement.position(), e);
        }
    }

    private void create(CreateServer statement, CatalogDraft draft) throws RemoteException {
        ServerName name = statement.server();
        if (statement.ifNotExists() && draft.hasServer(name.name())) {
            return;
        }
        ServerDefinition.Builder server = ServerDefinition.builder(name.name(), statement.type());
        change(options(server), statement.options());
        Instant now = catalog.now();
        server.created(now).modified(now).owner(currentUser);
        at(name.position(), () -> draft.createServer(server.build()));
    }

    private void alter(AlterServer statement, CatalogDraft draft) throws RemoteException {
        ServerName name = statement.server();
        at(name.position(), () -> draft.entry(name.name()));
        ServerDefinition before = draft.entry(name.name()).server();
        ServerDefinition.Builder after = before.toBuilder();
        change(options(after), statement.options());
        UserName owner = statement.owner();
        if (owner != null) {
            after.owner(nameOf(owner));
        }
        draft.alterServer(catalog.altered(before, after));
    }

    private static void drop(DropServer statement, CatalogDraft draft) throws RemoteException {
        for (ServerName server : statement.servers()) {
            if (!statement.ifExists() || draft.hasServer(server.name())) {
                at(server.position(), () -> draft.dropServer(server.name(), statement.cascade()));
            }
        }
    }

    private void create(CreateMapping statement, CatalogDraft draft) throws RemoteException {
        ServerName server = statement.server();
        String user = nameOf(statement.user());
        at(server.position(), () -> draft.entry(server.name()));
        if (statement.ifNotExists() && draft.findMapping(server.name(), user) != null) {
            return;
        }
        UserMapping.Builder mapping = UserMapping.builder(server.name(), user);
        change(options(mapping), statement.options());
        Instant now = catalog.now();
        mapping.created(now).modified(now);
        at(statement.user().position(), () -> draft.createMapping(mapping.build()));
    }

    private void alter(AlterMapping statement, CatalogDraft draft) throws RemoteException {
        ServerName server = statement.server();
        String user = nameOf(statement.user());
        at(server.position(), () -> draft.entry(server.name()));
        at(statement.user().position(), () -> draft.mapping(server.name(), user));
        UserMapping before = draft.mapping(server.name(), user);
        UserMapping.Builder after = before.toBuilder();
        change(options(after), statement.options());
        draft.alterMapping(catalog.altered(before, after));
    }

    private void drop(DropMapping statement, CatalogDraft draft) throws RemoteException {
        ServerName server = statement.server();
        String user = nameOf(statement.user());
        boolean exists = draft.hasServer(server.name()) && draft.findMapping(server.name(), user) != null;
        if (exists || !statement.ifExists()) {
            at(server.position(), () -> draft.entry(server.name()));
            at(statement.user().position(), () -> draft.dropMapping(server.name(), user));
        }
    }

    private String nameOf(UserName user) {
        String name = user.name();
        return name == null ? currentUser : name;
    }

    private static void change(OptionTarget target, List<OptionChange> options) throws RemoteException {
        for (OptionChange option : options) {
            at(option.position(), () -> change(target, option));
        }
    }

    private static void change(OptionTarget target, OptionChange option) throws RemoteException {
        String value = option.value();
        boolean given = target.has(option.key());
        if (value == null) {
            if (!given) {
                throw notPossible(option, "is not set, so it cannot be dropped");
            }
            target.remove(option.key());
        } else if (given && option.action() == OptionChange.Action.ADD) {
            throw notPossible(option, "is set already; use SET to change it");
        } else {
            target.set(option.key(), value);
        }
    }

    private static RemoteException notPossible(OptionChange option, String why) {
        return new RemoteException(RemoteErrorCode.INVALID_OPTION, "option " + option.key() + " " + why);
    }

    private static void at(SourcePosition position, Step step) throws StatementException {
        try {
            step.run();
        } catch (RemoteException e) {
            throw StatementException.at(position, e);
        }
    }

    private static OptionTarget options(ServerDefinition.Builder server) {
        return new OptionTarget() {
            @Override
            public boolean has(String key) throws RemoteException {
                return server.hasOption(key);
            }

            @Override
            public void set(String key, String value) throws RemoteException {
                server.option(key, value);
            }

            @Override
            public void remove(String key) throws RemoteException {
                server.removeOption(key);
            }
        };
    }

    private static OptionTarget options(UserMapping.Builder mapping) {
        return new OptionTarget() {
            @Override
            public boolean has(String key) throws RemoteException {
                return mapping.hasOption(key);
            }

            @Override
            public void set(String key, String value) throws RemoteException {
                mapping.option(key, value);
            }

            @Override
            public void remove(String key) throws RemoteException {
                mapping.removeOption(key);
            }
        };
    }

    /** The options of a server or of a mapping, by their keys in SQL. */
    private interface OptionTarget {
        boolean has(String key) throws RemoteException;

        void set(String key, String value) throws RemoteException;

        void remove(String key) throws RemoteException;
    }

    private interface Step {
        void run() throws RemoteException;
    }
}
