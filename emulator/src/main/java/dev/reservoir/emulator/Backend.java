package dev.reservoir.emulator;

/** The database that answers the statements behind the gateway. */
public sealed interface Backend {

    /**
     * A PostgreSQL server that the emulator starts and stops. It is empty at first. The emulator creates the role of a
     * user who connects for the first time: {@code admin} may create anything in the database, every other role is a
     * plain role.
     */
    static Backend embedded() {
        return new Embedded();
    }

    /**
     * An existing PostgreSQL server, reached without TLS. Every client of the emulator is this user to PostgreSQL.
     *
     * @param host the host that it listens on
     * @param port the port that it listens on
     * @param database the database that clients see as {@code postgres}
     * @param user the user to connect as
     * @param password the user's password, empty if none is needed
     */
    static Backend postgres(String host, int port, String database, String user, String password) {
        return new Postgres(host, port, database, user, password);
    }

    /**
     * No database. The emulator itself answers enough for clients to connect, to check a connection and to run a
     * trivial transaction. Use it for thousands of connections on one machine.
     */
    static Backend stub() {
        return new Stub();
    }

    /** See {@link Backend#embedded()}. */
    record Embedded() implements Backend {}

    /** See {@link Backend#postgres}. */
    record Postgres(String host, int port, String database, String user, String password) implements Backend {
        @Override
        public String toString() {
            return "Postgres[" + user + "@" + host + ":" + port + "/" + database + "]";
        }
    }

    /** See {@link Backend#stub()}. */
    record Stub() implements Backend {}
}
