package dev.reservoir.remote.model;

import dev.reservoir.remote.model.RemoteOption.Group;
import dev.reservoir.remote.model.RemoteOption.Table;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Every option of a user mapping: the one place that declares its key, type, default, allowed values and documentation.
 * {@code CREATE USER MAPPING}, {@code ALTER USER MAPPING}, {@code sys.user_mappings} and the SQL reference follow from
 * it. Never holds a value.
 */
public final class MappingOptions {
    private static final Table TABLE = new Table();

    public static final RemoteOption<String> REMOTE_USER = text("remote_user")
            .alias("user")
            .otherwise("the local user; `PUBLIC` must name one")
            .doc("The user that logs in to the server.");

    public static final RemoteOption<String> PASSWORD = text("password")
            .alias("remote_password")
            .secret()
            .allowed(
                    text -> text.matches("\\$[A-Za-z_][A-Za-z0-9_]{0,199}"),
                    "'$NAME' for the environment variable NAME; or use password_file. A password itself is refused")
            .doc("The environment variable that holds the password, as `'$NAME'`. It is read for each connect. A"
                    + " password itself is refused, because a statement ends up in files and logs.");

    public static final RemoteOption<String> PASSWORD_FILE = text("password_file")
            .allowed(MappingOptions::isPath, "the path of a file")
            .doc("The file that holds the password. It is read for each connect. Only its owner may have access to it"
                    + " (mode 0600 or 0400). Not together with `password`.");

    public static final RemoteOption<AuthType> AUTH_TYPE = TABLE.define(
                    Group.LOGIN, "auth_type", OptionType.of(AuthType.class))
            .byDefault(AuthType.PASSWORD)
            .doc("How the user proves its identity.");

    public static final RemoteOption<String> KERBEROS_PRINCIPAL =
            text("kerberos_principal").doc("The principal of the server's service, with `auth_type 'kerberos'`.");

    public static final RemoteOption<String> CLIENT_CERTIFICATE = text("client_certificate")
            .otherwise("the server's `ssl_client_cert`")
            .doc("The file with the user's certificate, with `auth_type 'certificate'`.");

    public static final RemoteOption<String> CLIENT_KEY = text("client_key")
            .otherwise("the server's `ssl_client_key`")
            .doc("The file with the key of that certificate.");

    private static final List<RemoteOption<?>> ALL = TABLE.all();

    private MappingOptions() {}

    /** All options, in the order of the documentation. */
    public static List<RemoteOption<?>> all() {
        return ALL;
    }

    /** The option with this key or alias, in any case. Returns null if there is none. */
    public static @Nullable RemoteOption<?> named(String key) {
        return TABLE.named(key);
    }

    static RemoteOption<?> known(String key) throws RemoteException {
        RemoteOption<?> option = named(key);
        if (option == null) {
            throw Names.unknownOption("user mapping", key, ALL);
        }
        return option;
    }

    private static RemoteOption.Definition<String> text(String key) {
        return TABLE.define(Group.LOGIN, key, OptionType.TEXT);
    }

    private static boolean isPath(String text) {
        try {
            return !Path.of(text).toString().isEmpty();
        } catch (InvalidPathException e) {
            return false;
        }
    }
}
