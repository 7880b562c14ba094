package dev.reservoir.remote.sql;

import dev.reservoir.remote.model.RemoteDatabaseType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A parsed statement. {@code toString} shows no value of an option. */
sealed interface CatalogStatement {
    /** The place where the statement begins. */
    SourcePosition position();

    /** The command tag, such as {@code CREATE SERVER}. */
    String tag();

    /**
     * A local user in a statement.
     *
     * @param name null for the user that executes the statement
     */
    record UserName(@Nullable String name, SourcePosition position) {}

    /** The name of a server in a statement. */
    record ServerName(String name, SourcePosition position) {}

    record CreateServer(
            SourcePosition position,
            ServerName server,
            boolean ifNotExists,
            RemoteDatabaseType type,
            List<OptionChange> options)
            implements CatalogStatement {
        @Override
        public String tag() {
            return "CREATE SERVER";
        }
    }

    /**
     * Changes options or the owner.
     *
     * @param owner the new owner, or null if it stays
     */
    record AlterServer(
            SourcePosition position,
            ServerName server,
            @Nullable UserName owner,
            List<OptionChange> options) implements CatalogStatement {
        @Override
        public String tag() {
            return "ALTER SERVER";
        }
    }

    /**
     * Removes servers.
     *
     * @param cascade whether the mappings of the servers are dropped too; otherwise they prevent it
     */
    record DropServer(SourcePosition position, List<ServerName> servers, boolean ifExists, boolean cascade)
            implements CatalogStatement {
        @Override
        public String tag() {
            return "DROP SERVER";
        }
    }

    record CreateMapping(
            SourcePosition position, UserName user, ServerName server, boolean ifNotExists, List<OptionChange> options)
            implements CatalogStatement {
        @Override
        public String tag() {
            return "CREATE USER MAPPING";
        }
    }

    record AlterMapping(SourcePosition position, UserName user, ServerName server, List<OptionChange> options)
            implements CatalogStatement {
        @Override
        public String tag() {
            return "ALTER USER MAPPING";
        }
    }

    record DropMapping(SourcePosition position, UserName user, ServerName server, boolean ifExists)
            implements CatalogStatement {
        @Override
        public String tag() {
            return "DROP USER MAPPING";
        }
    }

    /**
     * Calls a procedure.
     *
     * @param arguments as many as the procedure allows
     */
    record Call(SourcePosition position, Procedure procedure, List<Argument> arguments) implements CatalogStatement {
        @Override
        public String tag() {
            return "CALL";
        }
    }

    /** An argument of a call, as text. */
    record Argument(String text, SourcePosition position) {}
}
