package dev.reservoir.remote.model;

import dev.reservoir.remote.model.RemoteOption.Group;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A remote server: where it is, how to connect, and how its pools and health checks behave. {@link ServerOptions} has
 * the defaults, ranges and meaning of its options. Immutable.
 */
public final class ServerDefinition {
    private final UUID id;
    private final String name;
    private final RemoteDatabaseType type;
    private final OptionValues values;
    private final DriverOptions driverOptions;
    private final PoolConfiguration pool;
    private final HealthCheckConfig health;
    private final Instant created;
    private final Instant modified;
    private final @Nullable String owner;

    private ServerDefinition(Builder given) {
        id = given.id;
        name = given.name;
        type = given.type;
        values = given.options.values();
        driverOptions = given.options.driverOptions();
        pool = new PoolConfiguration(values);
        health = new HealthCheckConfig(values);
        created = given.created;
        modified = given.modified;
        owner = given.owner;
    }

    public static Builder builder(String name, RemoteDatabaseType type) {
        return new Builder(name, type);
    }

    /** A builder with all that this has. It keeps id, created and modified. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Stays the same while the server exists, also if it is altered. */
    public UUID id() {
        return id;
    }

    public String name() {
        return name;
    }

    public RemoteDatabaseType type() {
        return type;
    }

    public String host() {
        return values.get(ServerOptions.HOST);
    }

    /** The port that was given, or that of the type. */
    public int port() {
        Integer port = values.find(ServerOptions.PORT);
        return port == null ? type.defaultPort() : port;
    }

    public @Nullable String database() {
        return values.find(ServerOptions.DBNAME);
    }

    public PoolConfiguration pool() {
        return pool;
    }

    public HealthCheckConfig health() {
        return health;
    }

    /** The query of a health check. */
    public String healthQuery() {
        return health.testQuery(type);
    }

    /** Whether a connection may use TLS. */
    public boolean useSsl() {
        return sslMode() != SslMode.DISABLE;
    }

    /** The mode that was given, or that follows from {@code use_ssl}. */
    public SslMode sslMode() {
        SslMode mode = values.find(ServerOptions.SSL_MODE);
        Boolean use = values.find(ServerOptions.USE_SSL);
        if (mode != null) {
            return mode;
        }
        if (use == null) {
            return SslMode.PREFER;
        }
        return use ? SslMode.REQUIRE : SslMode.DISABLE;
    }

    public @Nullable String sslCaCert() {
        return values.find(ServerOptions.SSL_CA_CERT);
    }

    public @Nullable String sslClientCert() {
        return values.find(ServerOptions.SSL_CLIENT_CERT);
    }

    public @Nullable String sslClientKey() {
        return values.find(ServerOptions.SSL_CLIENT_KEY);
    }

    /** The options for the driver as they were given, without the prefix. One of them may be {@code $NAME}. */
    public Map<String, String> driverOptions() {
        return driverOptions.values();
    }

    /**
     * The options for the driver as it gets them, with the values of environment variables.
     *
     * @throws RemoteException RD032 if a variable is not set
     */
    public Map<String, String> driverProperties() throws RemoteException {
        return driverOptions.read();
    }

    /** All options that were given, as text, by key. Those for the driver have their prefix. */
    public Map<String, String> options() {
        Map<String, String> options = values.texts();
        driverOptions.show(options);
        return options;
    }

    public Instant created() {
        return created;
    }

    public Instant modified() {
        return modified;
    }

    /** The local user that created the server, if known. */
    public @Nullable String owner() {
        return owner;
    }

    /**
     * Whether a connection that was opened with the other definition is as good as a new one: type, place, TLS and
     * options for the driver are the same. If not, old connections must not be handed out.
     */
    public boolean connectsLike(ServerDefinition other) {
        return type == other.type
                && host().equals(other.host())
                && port() == other.port()
                && sslMode() == other.sslMode()
                && Objects.equals(database(), other.database())
                && Objects.equals(sslCaCert(), other.sslCaCert())
                && Objects.equals(sslClientCert(), other.sslClientCert())
                && Objects.equals(sslClientKey(), other.sslClientKey())
                && driverOptions.equals(other.driverOptions);
    }

    /** Equal if everything is, also id and times. */
    @Override
    public boolean equals(@Nullable Object object) {
        return object instanceof ServerDefinition other
                && id.equals(other.id)
                && name.equals(other.name)
                && type == other.type
                && values.equals(other.values)
                && driverOptions.equals(other.driverOptions)
                && created.equals(other.created)
                && modified.equals(other.modified)
                && Objects.equals(owner, other.owner);
    }

    @Override
    public int hashCode() {
        return id.hashCode();
    }

    /** Without the options for the driver, which may hold secrets. */
    @Override
    public String toString() {
        String database = database();
        return name + " (" + type.label() + " " + host() + ":" + port() + (database == null ? "" : "/" + database)
                + ")";
    }

    /** Collects what a server is. All is checked by {@link #build}. */
    public static final class Builder {
        private final String name;
        private final RemoteDatabaseType type;
        private UUID id = UUID.randomUUID();
        private final GivenOptions options;
        private Instant created = Instant.EPOCH;
        private Instant modified = Instant.EPOCH;
        private @Nullable String owner;

        private Builder(String name, RemoteDatabaseType type) {
            this(name, type, OptionValues.none(ServerOptions.all()), Map.of());
        }

        private Builder(String name, RemoteDatabaseType type, OptionValues values, Map<String, String> driverOptions) {
            this.name = name;
            this.type = type;
            options = new GivenOptions(ServerOptions::known, values, driverOptions);
        }

        private Builder(ServerDefinition from) {
            this(from.name, from.type, from.values, from.driverOptions());
            id = from.id;
            created = from.created;
            modified = from.modified;
            owner = from.owner;
        }

        public Builder host(String value) {
            return set(ServerOptions.HOST, value);
        }

        public Builder port(int value) {
            return set(ServerOptions.PORT, value);
        }

        public Builder database(@Nullable String value) {
            return set(ServerOptions.DBNAME, value);
        }

        /** Replaces all options of the pools. */
        public Builder pool(PoolConfiguration value) {
            options.setGroup(Group.POOL, value.values());
            return this;
        }

        /** Replaces all options of the health checks. */
        public Builder health(HealthCheckConfig value) {
            options.setGroup(Group.HEALTH, value.values());
            return this;
        }

        public Builder useSsl(@Nullable Boolean value) {
            return set(ServerOptions.USE_SSL, value);
        }

        public Builder sslMode(@Nullable SslMode value) {
            return set(ServerOptions.SSL_MODE, value);
        }

        public Builder sslCaCert(@Nullable String file) {
            return set(ServerOptions.SSL_CA_CERT, file);
        }

        public Builder sslClientCert(@Nullable String file) {
            return set(ServerOptions.SSL_CLIENT_CERT, file);
        }

        public Builder sslClientKey(@Nullable String file) {
            return set(ServerOptions.SSL_CLIENT_KEY, file);
        }

        /** An option for the driver, without the prefix. */
        public Builder driverOption(String key, String value) {
            options.setDriverOption(key, value);
            return this;
        }

        /**
         * Sets an option by its key in SQL, such as {@code max_connections} or {@code driver.tcpKeepAlive}.
         *
         * @throws RemoteException RD032 if there is no such option or the value is not allowed
         */
        public Builder option(String key, String value) throws RemoteException {
            options.setText(key, value);
            return this;
        }

        /** Removes an option by its key in SQL, so that its default applies. Says whether it was there. */
        public boolean removeOption(String key) throws RemoteException {
            boolean given = options.has(key);
            options.remove(key);
            return given;
        }

        /** Whether an option was given, by its key in SQL. */
        public boolean hasOption(String key) throws RemoteException {
            return options.has(key);
        }

        public Builder id(UUID value) {
            id = value;
            return this;
        }

        public Builder created(Instant value) {
            created = value;
            return this;
        }

        public Builder modified(Instant value) {
            modified = value;
            return this;
        }

        public Builder owner(@Nullable String value) {
            owner = value;
            return this;
        }

        /** Checks everything. Throws RD032 if something is not allowed. */
        public ServerDefinition build() throws RemoteException {
            Names.check("server name", name);
            options.check();
            PoolConfiguration.check(options.values());
            ServerDefinition server = new ServerDefinition(this);
            Boolean use = options.values().find(ServerOptions.USE_SSL);
            if (use != null && use && !server.useSsl()) {
                throw RemoteException.invalidOption("ssl_mode", "disable", "another mode, because use_ssl is 'true'");
            }
            if (use != null && !use && server.useSsl()) {
                throw RemoteException.invalidOption(
                        "ssl_mode", server.sslMode().label(), "disable, because use_ssl is 'false'");
            }
            return server;
        }

        private <T> Builder set(RemoteOption<T> option, @Nullable T value) {
            options.set(option, value);
            return this;
        }
    }
}
