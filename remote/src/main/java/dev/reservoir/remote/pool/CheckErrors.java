package dev.reservoir.remote.pool;

import dev.reservoir.core.util.Causes;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.UserMapping;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.net.SocketException;
import java.nio.file.FileSystemException;
import java.security.GeneralSecurityException;
import javax.security.auth.login.LoginException;
import org.jspecify.annotations.Nullable;

/** Says what a failed check or probe tells about a server. Holds nothing. */
final class CheckErrors {
    private CheckErrors() {}

    enum Meaning {
        /** The server did not answer as it should. */
        FAILURE,
        /** The server is there, although it lets nobody in. */
        ANSWER,
        /** The server was not asked, because the credentials of the mapping cannot be used. */
        OWN_CREDENTIALS
    }

    static Meaning of(Throwable error, UserMapping mapping) {
        RemoteErrorCode code = code(error);
        if (code == RemoteErrorCode.INVALID_OPTION || isWithoutTicket(error) || isOfCertificate(error, code, mapping)) {
            return Meaning.OWN_CREDENTIALS;
        }
        boolean answers = code == RemoteErrorCode.AUTHENTICATION_FAILED
                || code == RemoteErrorCode.PERMISSION_DENIED
                || code == RemoteErrorCode.POOL_EXHAUSTED;
        return answers ? Meaning.ANSWER : Meaning.FAILURE;
    }

    private static @Nullable RemoteErrorCode code(Throwable error) {
        for (Throwable t : Causes.of(error)) {
            if (t instanceof RemoteException failed) {
                return failed.code();
            }
        }
        return null;
    }

    /** Whether Kerberos gave no ticket. By name, because the class is in a module that not every process has. */
    private static boolean isWithoutTicket(Throwable error) {
        return Causes.of(error).stream()
                .anyMatch(t ->
                        t instanceof LoginException || t.getClass().getName().equals("org.ietf.jgss.GSSException"));
    }

    /** Whether the client's certificate or key cannot be read, or is not accepted. */
    private static boolean isOfCertificate(Throwable error, @Nullable RemoteErrorCode code, UserMapping mapping) {
        if (mapping.clientCertificate() == null
                || Causes.contain(error, SocketException.class)
                || Causes.contain(error, EOFException.class)) {
            return false;
        }
        return code == RemoteErrorCode.SSL_ERROR
                || Causes.contain(error, FileSystemException.class)
                || Causes.contain(error, FileNotFoundException.class)
                || Causes.contain(error, GeneralSecurityException.class);
    }
}
