package dev.reservoir.remote.model;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Says as which remote user a local user logs in to a server, and with which secret. {@link MappingOptions} has the
 * defaults and meaning of its options. Immutable. {@code toString} shows no secret.
 */
public final class UserMapping {
    /** The local user of a mapping for all users that have none of their own. */
    public static final String PUBLIC = "PUBLIC";

    private final UUID id;
    private final String server;
    private final String localUser;
    private final OptionValues values;
    private final @Nullable Secret remotePassword;
    private final DriverOptions driverOptions;
    private final Instant created;
    private final Instant modified;

    private UserMapping(Builder given) {
        id = given.id;
        server = given.server;
        localUser = given.localUser;
        values = given.options.values();
        remotePassword = given.secret();
        driverOptions = given.options.driverOptions();
        created = given.created;
        modified = given.modified;
    }

    /** A mapping of one local user. */
    public static Builder builder(String server, String localUser) {
        return new Builder(server, localUser);
    }

    /** A mapping of all local users that have none of their own. */
    public static Builder forPublic(String server) {
        return new Builder(server, PUBLIC);
    }

    /** A builder with all that this has. It keeps id, created and modified. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Stays the same while the mapping exists, also if it is altered. */
    public UUID id() {
        return id;
    }

    public String server() {
        return server;
    }

    /** The local user, or {@link #PUBLIC}. */
    public String localUser() {
        return localUser;
    }

    public boolean isPublic() {
        return localUser.equals(PUBLIC);
    }

    /** The user that logs in. The local user, unless another one was given. */
    public String remoteUser() {
        String user = values.find(MappingOptions.REMOTE_USER);
        return user == null ? localUser : user;
    }

    public @Nullable Secret remotePassword() {
        return remotePassword;
    }

    public AuthType authType() {
        return values.get(MappingOptions.AUTH_TYPE);
    }

    public @Nullable String kerberosPrincipal() {
        return values.find(MappingOptions.KERBEROS_PRINCIPAL);
    }

    public @Nullable String clientCertificate() {
        return values.find(MappingOptions.CLIENT_CERTIFICATE);
    }

    public @Nullable String clientKey() {
        return values.find(MappingOptions.CLIENT_KEY);
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

    /** The options that were given, as text, by key, without the password. Those for the driver have their prefix. */
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

    /**
     * Whether a connection that was opened with the other mapping is as good as a new one: remote user, secret, login
     * and options for the driver are the same. If not, old connections must not be handed out.
     */
    public boolean connectsLike(UserMapping other) {
        return remoteUser().equals(other.remoteUser())
                && authType() == other.authType()
                && values.equals(other.values)
                && Objects.equals(remotePassword, other.remotePassword)
                && driverOptions.equals(other.driverOptions);
    }

    /** Equal if everything is, also id and times. */
    @Override
    public boolean equals(@Nullable Object object) {
        return object instanceof UserMapping other
                && id.equals(other.id)
                && server.equals(other.server)
                && localUser.equals(other.localUser)
                && connectsLike(other)
                && created.equals(other.created)
                && modified.equals(other.modified);
    }

    @Override
    public int hashCode() {
        return id.hashCode();
    }

    /** Without the password and the options for the driver, which may hold secrets. */
    @Override
    public String toString() {
        return localUser + " on " + server + " as " + remoteUser();
    }

    /** Collects what a mapping is. All is checked by {@link #build}. */
    public static final class Builder {
        private final String server;
        private final String localUser;
        private UUID id = UUID.randomUUID();
        private final GivenOptions options;
        private @Nullable Secret given;
        private Instant created = Instant.EPOCH;
        private Instant modified = Instant.EPOCH;

        private Builder(String server, String localUser) {
            this(server, localUser, OptionValues.none(MappingOptions.all()), Map.of());
        }

        private Builder(String server, String localUser, OptionValues values, Map<String, String> driverOptions) {
            this.server = server;
            this.localUser = localUser;
            options = new GivenOptions(MappingOptions::known, values, driverOptions);
        }

        private Builder(UserMapping from) {
            this(from.server, from.localUser, from.values, from.driverOptions());
            id = from.id;
            boolean isInOptions = from.values.given(MappingOptions.PASSWORD) != null
                    || from.values.given(MappingOptions.PASSWORD_FILE) != null;
            given = isInOptions ? null : from.remotePassword;
            created = from.created;
            modified = from.modified;
        }

        public Builder remoteUser(@Nullable String value) {
            return set(MappingOptions.REMOTE_USER, value);
        }

        /** Replaces the secret, also one that the options {@code password} or {@code password_file} gave. */
        public Builder remotePassword(@Nullable Secret value) {
            set(MappingOptions.PASSWORD, null).set(MappingOptions.PASSWORD_FILE, null);
            given = value;
            return this;
        }

        public Builder authType(AuthType value) {
            return set(MappingOptions.AUTH_TYPE, value);
        }

        public Builder kerberosPrincipal(@Nullable String value) {
            return set(MappingOptions.KERBEROS_PRINCIPAL, value);
        }

        public Builder clientCertificate(@Nullable String file) {
            return set(MappingOptions.CLIENT_CERTIFICATE, file);
        }

        public Builder clientKey(@Nullable String file) {
            return set(MappingOptions.CLIENT_KEY, file);
        }

        /** An option for the driver, without the prefix. */
        public Builder driverOption(String key, String value) {
            options.setDriverOption(key, value);
            return this;
        }

        /**
         * Sets an option by its key in SQL, such as {@code remote_user} or {@code driver.tcpKeepAlive}.
         *
         * @throws RemoteException RD032 if there is no such option or the value is not allowed
         */
        public Builder option(String key, String value) throws RemoteException {
            RemoteOption<?> option = options.setText(key, value);
            if (option == MappingOptions.PASSWORD || option == MappingOptions.PASSWORD_FILE) {
                given = null;
            }
            return this;
        }

        /** Removes an option by its key in SQL, so that its default applies. Says whether it was there. */
        public boolean removeOption(String key) throws RemoteException {
            boolean was = hasOption(key);
            if (options.remove(key) == MappingOptions.PASSWORD) {
                given = null;
            }
            return was;
        }

        /** Whether an option was given, by its key in SQL. */
        public boolean hasOption(String key) throws RemoteException {
            return options.has(key)
                    || (given != null
                            && !DriverOptions.isDriverOption(key)
                            && MappingOptions.known(key) == MappingOptions.PASSWORD);
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

        /** Checks everything. Throws RD032 if something is not allowed. */
        public UserMapping build() throws RemoteException {
            Names.check("server name", server);
            Names.check("local user", localUser);
            options.check();
            OptionValues values = options.values();
            if (values.given(MappingOptions.PASSWORD) != null && values.given(MappingOptions.PASSWORD_FILE) != null) {
                throw new RemoteException(
                        RemoteErrorCode.INVALID_OPTION,
                        "options password and password_file are both given; allowed: one of them");
            }
            UserMapping mapping = new UserMapping(this);
            if (mapping.isPublic() && values.find(MappingOptions.REMOTE_USER) == null) {
                throw RemoteException.missingOption("remote_user", "the name of a remote user, because PUBLIC is none");
            }
            return mapping;
        }

        private @Nullable Secret secret() {
            String variable = options.values().given(MappingOptions.PASSWORD);
            String file = options.values().given(MappingOptions.PASSWORD_FILE);
            if (variable != null) {
                return Secret.environment(variable.substring(1));
            }
            return file == null ? given : Secret.file(Path.of(file));
        }

        private <T> Builder set(RemoteOption<T> option, @Nullable T value) {
            options.set(option, value);
            return this;
        }
    }
}
