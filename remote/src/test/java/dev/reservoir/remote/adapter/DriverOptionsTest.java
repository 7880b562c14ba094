package dev.reservoir.remote.adapter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.remote.model.AuthType;
import dev.reservoir.remote.model.RemoteDatabaseType;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.Secret;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.SslMode;
import dev.reservoir.remote.model.UserMapping;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What each driver is told, and what is refused because the driver cannot do it. Nothing connects. */
class DriverOptionsTest {
    private static ServerDefinition.Builder server(RemoteDatabaseType type, String driver) {
        return ServerDefinition.builder("s", type)
                .host("db.example")
                .port(1234)
                .database("orders")
                .driverOption("name", driver);
    }

    private static UserMapping.Builder user() {
        return UserMapping.builder("s", "tester").remoteUser("app").remotePassword(Secret.literal("hunter-22"));
    }

    private static ConnectPlan plan(ServerDefinition.Builder server, UserMapping.Builder user) throws RemoteException {
        ServerDefinition definition = server.build();
        return Adapters.installed().find(definition).plan(definition, user.build());
    }

    @ParameterizedTest
    @CsvSource({
        "POSTGRESQL, postgresql, jdbc:postgresql://db.example:1234/orders",
        "MYSQL, mysql, jdbc:mysql://db.example:1234/orders",
        "MYSQL, mariadb, jdbc:mariadb://db.example:1234/orders",
        "FIREBIRD, firebird, jdbc:firebird://db.example:1234/orders",
        "SCRATCHBIRD, scratchbird, jdbc:scratchbird://db.example:1234/orders",
        "MSSQL, mssql, jdbc:sqlserver://"
    })
    void theUrlNamesTheServerAndNoSecretIsShown(RemoteDatabaseType type, String driver, String url)
            throws RemoteException {
        ConnectPlan plan = plan(server(type, driver).driverOption("extra", "value"), user());
        assertThat(plan.url()).isEqualTo(url);
        assertThat(plan.driver().name()).isEqualTo(driver);
        assertThat(plan.properties())
                .containsEntry("user", "app")
                .containsEntry("password", "hunter-22")
                .containsEntry("extra", "value")
                .doesNotContainKey("name");
        assertThat(plan.toString()).doesNotContain("hunter-22");
    }

    @ParameterizedTest
    @CsvSource({
        "POSTGRESQL, postgresql, VERIFY_FULL, sslmode, verify-full",
        "POSTGRESQL, postgresql, ALLOW, sslmode, allow",
        "MYSQL, mysql, DISABLE, sslMode, DISABLED",
        "MYSQL, mysql, ALLOW, sslMode, PREFERRED",
        "MYSQL, mysql, VERIFY_CA, sslMode, VERIFY_CA",
        "MYSQL, mysql, VERIFY_FULL, sslMode, VERIFY_IDENTITY",
        "MYSQL, mariadb, PREFER, sslMode, trust",
        "MYSQL, mariadb, ALLOW, sslMode, disable",
        "MYSQL, mariadb, VERIFY_CA, sslMode, verify-ca",
        "MYSQL, mariadb, VERIFY_FULL, sslMode, verify-full",
        "MSSQL, mssql, REQUIRE, trustServerCertificate, true",
        "MSSQL, mssql, VERIFY_FULL, trustServerCertificate, false",
        "MSSQL, mssql, DISABLE, encrypt, false",
        "FIREBIRD, firebird, PREFER, wireCrypt, ENABLED",
        "FIREBIRD, firebird, REQUIRE, wireCrypt, REQUIRED",
        "FIREBIRD, firebird, DISABLE, wireCrypt, DISABLED",
        "SCRATCHBIRD, scratchbird, VERIFY_FULL, sslmode, verify-full"
    })
    void eachModeOfTlsReachesTheDriver(
            RemoteDatabaseType type, String driver, SslMode mode, String property, String value)
            throws RemoteException {
        assertThat(plan(server(type, driver).sslMode(mode), user()).properties())
                .containsEntry(property, value);
    }

    @ParameterizedTest
    @CsvSource({
        "MSSQL, mssql, VERIFY_CA, mssql",
        "FIREBIRD, firebird, VERIFY_CA, firebird",
        "FIREBIRD, firebird, VERIFY_FULL, firebird"
    })
    void aModeThatTheDriverCannotKeepIsRefused(RemoteDatabaseType type, String driver, SslMode mode, String named) {
        RemoteException error = AdapterContract.fails(
                RemoteErrorCode.INVALID_OPTION, () -> plan(server(type, driver).sslMode(mode), user()));
        assertThat((Throwable) error).hasMessageContaining("ssl_mode").hasMessageContaining(mode.label());
        assertThat((Throwable) error).hasMessageContaining("driver " + named);
    }

    @Test
    void firebirdAndScratchBirdRefuseKerberosByName() {
        for (RemoteDatabaseType type :
                new RemoteDatabaseType[] {RemoteDatabaseType.FIREBIRD, RemoteDatabaseType.SCRATCHBIRD}) {
            RemoteException error = AdapterContract.fails(
                    RemoteErrorCode.INVALID_OPTION,
                    () -> plan(server(type, type.label()), user().authType(AuthType.KERBEROS)));
            assertThat((Throwable) error)
                    .hasMessageContaining("auth_type")
                    .hasMessageContaining("driver " + type.label());
        }
    }

    @Test
    void kerberosReachesTheDriversThatKnowIt() throws RemoteException {
        UserMapping.Builder kerberos = user().authType(AuthType.KERBEROS).kerberosPrincipal("pg/db.example@REALM");
        assertThat(plan(server(RemoteDatabaseType.POSTGRESQL, "postgresql"), kerberos)
                        .properties())
                .containsEntry("kerberosServerName", "pg")
                .containsEntry("requireAuth", "gss");
        assertThat(plan(server(RemoteDatabaseType.MSSQL, "mssql"), kerberos).properties())
                .containsEntry("integratedSecurity", "true")
                .containsEntry("authenticationScheme", "JavaKerberos")
                .containsEntry("serverSpn", "pg/db.example@REALM");
        assertThat(plan(server(RemoteDatabaseType.MYSQL, "mariadb"), kerberos).properties())
                .containsEntry("servicePrincipalName", "pg/db.example@REALM")
                .containsEntry("restrictedAuth", "auth_gssapi_client");
        AdapterContract.fails(
                RemoteErrorCode.INVALID_OPTION, () -> plan(server(RemoteDatabaseType.MYSQL, "mysql"), kerberos));
    }

    @Test
    void clientCertificatesReachTheDriversInTheFormThatTheyRead() throws RemoteException {
        ServerDefinition.Builder keyStore = server(RemoteDatabaseType.MYSQL, "mariadb")
                .sslMode(SslMode.REQUIRE)
                .sslClientCert("/certs/app.p12");
        Properties properties = plan(keyStore, user()).properties();
        assertThat(properties).containsEntry("keyStore", "/certs/app.p12").containsEntry("keyStoreType", "PKCS12");
        RemoteException error = AdapterContract.fails(
                RemoteErrorCode.INVALID_OPTION,
                () -> plan(
                        server(RemoteDatabaseType.MYSQL, "mysql")
                                .sslMode(SslMode.REQUIRE)
                                .sslClientCert("/certs/app.pem"),
                        user()));
        assertThat((Throwable) error).hasMessageContaining("ssl_client_cert").hasMessageContaining(".p12");
        assertThat(plan(
                                server(RemoteDatabaseType.POSTGRESQL, "postgresql")
                                        .sslClientCert("/certs/app.pem")
                                        .sslClientKey("/certs/app.key"),
                                user())
                        .properties())
                .containsEntry("sslcert", "/certs/app.pem")
                .containsEntry("sslkey", "/certs/app.key");
    }

    @Test
    void optionsForTheDriverWinOverThoseOfTheAdapter() throws RemoteException {
        assertThat(plan(
                                server(RemoteDatabaseType.POSTGRESQL, "postgresql")
                                        .driverOption("tcpKeepAlive", "false"),
                                user().driverOption("ApplicationName", "reports"))
                        .properties())
                .containsEntry("tcpKeepAlive", "false")
                .containsEntry("ApplicationName", "reports");
    }

    @Test
    void anUnknownDriverNameIsRefusedWithThoseThatExist() {
        RemoteException error = AdapterContract.fails(
                RemoteErrorCode.INVALID_OPTION, () -> plan(server(RemoteDatabaseType.MYSQL, "drizzle"), user()));
        assertThat((Throwable) error).hasMessageContaining("drizzle").hasMessageContaining("mysql, mariadb");
    }

    @Test
    void firebirdNeedsADatabase() {
        RemoteException error = AdapterContract.fails(
                RemoteErrorCode.INVALID_OPTION,
                () -> plan(server(RemoteDatabaseType.FIREBIRD, "firebird").database(null), user()));
        assertThat((Throwable) error).hasMessageContaining("dbname");
    }
}
