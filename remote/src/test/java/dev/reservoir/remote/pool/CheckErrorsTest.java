package dev.reservoir.remote.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.UserMapping;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.ConnectException;
import java.sql.SQLException;
import javax.net.ssl.SSLHandshakeException;
import javax.security.auth.login.LoginException;
import org.ietf.jgss.GSSException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which errors of a check say something about the server. */
class CheckErrorsTest {
    private static CheckErrors.Meaning of(RemoteErrorCode code, Throwable cause, boolean hasCertificate)
            throws RemoteException {
        UserMapping.Builder mapping = UserMapping.builder("pg", "ann").remoteUser("ann");
        if (hasCertificate) {
            mapping.clientCertificate("/ann.crt").clientKey("/ann.key");
        }
        return CheckErrors.of(
                new SQLException("no connection", new RemoteException(code, "failed", cause)), mapping.build());
    }

    @ParameterizedTest
    @EnumSource(RemoteErrorCode.class)
    void theCodeDecidesFirst(RemoteErrorCode code) throws RemoteException {
        CheckErrors.Meaning expected = switch (code) {
            case AUTHENTICATION_FAILED, PERMISSION_DENIED, POOL_EXHAUSTED -> CheckErrors.Meaning.ANSWER;
            case INVALID_OPTION -> CheckErrors.Meaning.OWN_CREDENTIALS;
            default -> CheckErrors.Meaning.FAILURE;
        };
        assertThat(of(code, new IOException("x"), false)).isEqualTo(expected);
    }

    @Test
    void aClientWithoutATicketHasNotAskedTheServer() throws RemoteException {
        assertThat(of(RemoteErrorCode.CONNECTION_FAILED, new GSSException(GSSException.NO_CRED), false))
                .isEqualTo(CheckErrors.Meaning.OWN_CREDENTIALS);
        assertThat(of(RemoteErrorCode.CONNECTION_FAILED, new LoginException("no ticket"), false))
                .isEqualTo(CheckErrors.Meaning.OWN_CREDENTIALS);
    }

    @Test
    void aBadCertificateOfTheClientIsNoFaultOfTheServer() throws RemoteException {
        SSLHandshakeException refused = new SSLHandshakeException("Received fatal alert: bad_certificate");
        assertThat(of(RemoteErrorCode.SSL_ERROR, refused, true)).isEqualTo(CheckErrors.Meaning.OWN_CREDENTIALS);
        assertThat(of(RemoteErrorCode.SSL_ERROR, refused, false))
                .as("without a certificate of the client")
                .isEqualTo(CheckErrors.Meaning.FAILURE);
        assertThat(of(RemoteErrorCode.CONNECTION_FAILED, new FileNotFoundException("/ann.key"), true))
                .isEqualTo(CheckErrors.Meaning.OWN_CREDENTIALS);
    }

    @Test
    void aServerThatEndsTheHandshakeOrIsAwayHasFailed() throws RemoteException {
        SSLHandshakeException ended = new SSLHandshakeException("Remote host terminated the handshake");
        ended.initCause(new EOFException());
        assertThat(of(RemoteErrorCode.SSL_ERROR, ended, true)).isEqualTo(CheckErrors.Meaning.FAILURE);
        assertThat(of(RemoteErrorCode.CONNECTION_FAILED, new ConnectException("refused"), true))
                .isEqualTo(CheckErrors.Meaning.FAILURE);
    }
}
