package dev.reservoir.remote.adapter;

import dev.reservoir.remote.model.RemoteDatabaseType;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.Secret;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.UserMapping;

/**
 * A real server for the contract of the adapters, and what differs in its SQL.
 *
 * @param database the database, which exists
 * @param password the password of the administrator; the user {@code limited} has the same one
 * @param unknownDatabase the name of a database that does not exist
 * @param folds whether names that are not quoted become upper case
 * @param slow a query that takes many seconds
 * @param sessionId a query for the id of the session
 * @param kill a statement that ends the session with this id, as a format
 * @param setting a statement that changes the session
 * @param readSetting a query that shows what the statement changed
 * @param temporaryTable a statement that makes a temporary table {@code leftover} with a row; empty if there is none
 */
record ContractServer(
        RemoteDatabaseType type,
        String driver,
        int port,
        String database,
        String user,
        String password,
        String unknownDatabase,
        boolean folds,
        String slow,
        String sessionId,
        String kill,
        String setting,
        String readSetting,
        String temporaryTable) {

    ServerDefinition.Builder definition() {
        return ServerDefinition.builder("contract", type)
                .host("127.0.0.1")
                .port(port)
                .database(database)
                .driverOption("name", driver);
    }

    UserMapping admin() throws RemoteException {
        return mapping(user, password);
    }

    /** A user that may connect and see nothing. */
    UserMapping limited() throws RemoteException {
        return mapping(folds ? "LIMITED" : "limited", password);
    }

    UserMapping mapping(String remoteUser, String secret) throws RemoteException {
        return UserMapping.builder("contract", "tester")
                .remoteUser(remoteUser)
                .remotePassword(Secret.literal(secret))
                .build();
    }

    /** The name as the database stores it. */
    String name(String lowerCase) {
        return folds ? lowerCase.toUpperCase(java.util.Locale.ROOT) : lowerCase;
    }
}
