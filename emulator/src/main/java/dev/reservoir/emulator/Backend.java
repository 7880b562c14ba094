package dev.reservoir.emulator;

/** What answers the statements behind the gateway. */
public sealed interface Backend {

    /**
     * A PostgreSQL of the emulator's own, started and stopped with it, empty at first. A user who connects for the first time is
     * made: {@code admin} may create what it likes in the database, any other is a plain role.
     */
    static Backend embedded() {
        return new Embedded();
    }

    /**
     * A PostgreSQL that is there already, reached without TLS. Whoever connects to the emulator is this user to PostgreSQL.
     *
     * @param host where it listens
     * @param port its port
     * @param database the database that stands for {@code postgres}
     * @param user the user to connect as
     * @param password the user's password, empty if none is needed
     */
    static Backend postgres(String host, int port, String database, String user, String password) {
        return new Postgres(host, port, database, user, password);
    }

    /**
     * No database: the emulator itself answers enough for clients to connect, to check a connection and to run a trivial
     * transaction. For thousands of connections on one machine.
     */
    static Backend stub() {
        return new Stub();
    }

    /** See {@link Backend#embedded()}. */
    record Embedded() implements Backend {}

    /**
     * See {@link Backend#postgres}.
     *
     * @param host where it listens
     * @param port its port
     * @param database the database that stands for {@code postgres}
     * @param user the user to connect as
     * @param password the user's password
     */
    record Postgres(String host, int port, String database, String user, String password) implements Backend {
        @Override
        public String toString() {
            return "Postgres[" + user + "@" + host + ":" + port + "/" + database + "]";
        }
    }

    /** See {@link Backend#stub()}. */
    record Stub() implements Backend {}
}
