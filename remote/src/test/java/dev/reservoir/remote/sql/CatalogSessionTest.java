package dev.reservoir.remote.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.remote.model.RemoteDatabaseType;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.SslMode;
import dev.reservoir.remote.model.UserMapping;
import java.sql.SQLException;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Statements that change the catalog, and calls. */
class CatalogSessionTest {
    private Instant now = Instant.parse("2026-11-01T10:00:00Z");
    private final Catalog catalog = new Catalog(() -> now, CatalogCheck.NONE);
    private final Recording recording = new Recording();
    private final CatalogSession session = new CatalogSession(catalog, recording, "ann");

    @BeforeEach
    void listen() {
        catalog.addListener(recording);
    }

    @Test
    void theExampleOfTheSpecificationCreatesAServer() throws SQLException {
        assertThat(session.execute("""
                        CREATE SERVER legacy_pg
                            FOREIGN DATA WRAPPER postgresql_fdw
                            OPTIONS (
                                host 'db.example.com',
                                port '5432',
                                dbname 'production',
                                -- Pool configuration
                                min_connections '2',
                                max_connections '20',
                                connect_timeout '5000',
                                query_timeout '30000',
                                idle_timeout '300000',
                                -- Health check
                                health_check_interval '30000',
                                health_check_query 'SELECT 1',
                                -- Behavior
                                reset_on_release 'true',
                                validate_on_acquire 'false'
                            );
                        """)).containsExactly("CREATE SERVER");
        ServerDefinition server = catalog.server("legacy_pg");
        assertThat(server.type()).isEqualTo(RemoteDatabaseType.POSTGRESQL);
        assertThat(server.host()).isEqualTo("db.example.com");
        assertThat(server.database()).isEqualTo("production");
        assertThat(server.pool().minConnections()).isEqualTo(2);
        assertThat(server.pool().maxConnections()).isEqualTo(20);
        assertThat(server.owner()).isEqualTo("ann");
        assertThat(server.created()).isEqualTo(now);
        assertThat(recording.lines).containsExactly("created legacy_pg");
    }

    @Test
    void everyWrapperIsKnown() throws SQLException {
        for (RemoteDatabaseType type : RemoteDatabaseType.values()) {
            session.execute("create server " + type.label() + "_1 type '" + type.label() + "' foreign data wrapper "
                    + type.wrapper());
            assertThat(catalog.server(type.label() + "_1").type()).isEqualTo(type);
        }
        assertThatThrownBy(() -> session.execute("CREATE SERVER x TYPE 'mysql' FOREIGN DATA WRAPPER postgresql_fdw"))
                .hasMessage("RD010: line 1, column 22: the type does not fit the foreign data wrapper postgresql_fdw;"
                        + " allowed: 'postgresql', or no TYPE");
    }

    @Test
    void namesWithoutQuotesDoNotDependOnCase() throws SQLException {
        session.execute("CREATE SERVER Foo FOREIGN DATA WRAPPER MySQL_fdw; CREATE SERVER \"Foo\"\"s\" FOREIGN DATA"
                + " WRAPPER mysql_fdw OPTIONS (DBNAME 'it''s')");
        assertThat(catalog.server("foo").type()).isEqualTo(RemoteDatabaseType.MYSQL);
        assertThat(catalog.server("Foo\"s").database()).isEqualTo("it's");
    }

    @Test
    void optionsForTheDriverKeepTheirCase() throws SQLException {
        session.execute("CREATE SERVER s FOREIGN DATA WRAPPER postgresql_fdw OPTIONS (driver.tcpKeepAlive 'true',"
                + " \"driver.a.b-c\" '1', driver.d.e '2')");
        assertThat(catalog.server("s").driverOptions())
                .containsOnlyKeys("tcpKeepAlive", "a.b-c", "d.e")
                .containsEntry("tcpKeepAlive", "true");
    }

    @Test
    void alterAddsSetsAndDropsOptions() throws SQLException {
        createServer("s", "host 'a', max_connections '20'");
        now = now.plusSeconds(60);
        session.execute("ALTER SERVER s OPTIONS (SET host 'b', ADD ssl_mode 'require', DROP max_connections,"
                + " SET fetch_size '50', idle_timeout '1000')");
        ServerDefinition server = catalog.server("s");
        assertThat(server.host()).isEqualTo("b");
        assertThat(server.sslMode()).isEqualTo(SslMode.REQUIRE);
        assertThat(server.pool().maxConnections()).isEqualTo(10);
        assertThat(server.pool().fetchSize()).isEqualTo(50);
        assertThat(server.pool().idleTimeout()).hasMillis(1_000);
        assertThat(server.modified()).isEqualTo(now).isAfter(server.created());
        assertThat(recording.lines).containsExactly("created s", "altered s false");

        session.execute("ALTER SERVER s OPTIONS (max_connections '5'); ALTER SERVER s OWNER TO bob");
        assertThat(recording.lines).endsWith("altered s true", "altered s true");
        assertThat(catalog.server("s").owner()).isEqualTo("bob");
    }

    @Test
    void alterTakesEffectWholeOrNotAtAll() throws SQLException {
        createServer("s", "host 'a'");
        ServerDefinition before = catalog.server("s");
        assertThatThrownBy(() -> session.execute("ALTER SERVER s OPTIONS (SET host 'b', SET port '0')"))
                .hasMessageContaining("line 1, column 43: option port is '0'; allowed: 1 to 65535");
        assertThatThrownBy(() -> session.execute("ALTER SERVER s OPTIONS (SET host 'b', ADD host 'c')"))
                .hasMessageContaining("option host is given twice");
        assertThatThrownBy(() -> session.execute("ALTER SERVER s OPTIONS (SET port '1', ADD host 'c')"))
                .hasMessageContaining("option host is set already; use SET");
        assertThatThrownBy(() -> session.execute("ALTER SERVER s OPTIONS (SET port '1', DROP dbname)"))
                .hasMessageContaining("option dbname is not set");
        assertThat(catalog.server("s")).isSameAs(before);
        assertThat(recording.lines).containsExactly("created s");
    }

    @Test
    void aTextOfSeveralStatementsTakesEffectWholeOrNotAtAll() {
        assertThatThrownBy(() -> session.execute("""
                        CREATE SERVER a FOREIGN DATA WRAPPER mysql_fdw;
                        CREATE USER MAPPING FOR ann SERVER a;
                        CALL sys.warmup_pool(a);
                        CREATE USER MAPPING FOR ann SERVER b;
                        """))
                .isInstanceOf(StatementException.class)
                .hasMessage("RD030: line 4, column 36: there is no server b");
        assertThat(catalog.servers()).isEmpty();
        assertThat(recording.lines).isEmpty();
    }

    @Test
    void aServerWithMappingsIsDroppedOnlyWithCascade() throws SQLException {
        createServer("s", "host 'a'");
        session.execute("CREATE USER MAPPING FOR CURRENT_USER SERVER s;"
                + " CREATE USER MAPPING FOR PUBLIC SERVER s OPTIONS (user 'app')");
        assertThatThrownBy(() -> session.execute("DROP SERVER s"))
                .hasMessageContaining("server s has 2 user mappings; drop them first, or use CASCADE");
        assertThatThrownBy(() -> session.execute("DROP SERVER s RESTRICT")).hasMessageContaining("CASCADE");
        session.execute("DROP SERVER s CASCADE");
        assertThat(catalog.servers()).isEmpty();
        assertThat(recording.lines).endsWith("dropped PUBLIC on s as app", "dropped ann on s as ann", "dropped s");
        session.execute("DROP SERVER IF EXISTS s, t");
        assertThatThrownBy(() -> session.execute("DROP SERVER s")).hasMessageStartingWith("RD030:");
    }

    @Test
    void ifNotExistsLeavesWhatExistsAsItIs() throws SQLException {
        createServer("s", "host 'a'");
        session.execute("CREATE SERVER IF NOT EXISTS s FOREIGN DATA WRAPPER mysql_fdw OPTIONS (host 'b');"
                + " CREATE USER MAPPING IF NOT EXISTS FOR ann SERVER s OPTIONS (user 'x');"
                + " CREATE USER MAPPING IF NOT EXISTS FOR ann SERVER s OPTIONS (user 'y');"
                + " DROP USER MAPPING IF EXISTS FOR bob SERVER s; DROP USER MAPPING IF EXISTS FOR bob SERVER none");
        assertThat(catalog.server("s").host()).isEqualTo("a");
        assertThat(catalog.mapping("s", "ann").remoteUser()).isEqualTo("x");
        assertThatThrownBy(() -> session.execute("CREATE SERVER s FOREIGN DATA WRAPPER mysql_fdw"))
                .hasMessageContaining("line 1, column 15: server s exists already");
        assertThatThrownBy(() -> session.execute("CREATE USER MAPPING FOR ann SERVER s"))
                .hasMessageContaining("exists already");
        assertThatThrownBy(() -> session.execute("DROP USER MAPPING FOR bob SERVER s"))
                .hasMessageStartingWith("RD031");
    }

    @Test
    void aMappingIsLookedUpByUserThenForPublic() throws SQLException {
        createServer("s", "host 'a'");
        assertThatThrownBy(() -> catalog.mapping("s", "ann"))
                .hasMessageStartingWith("RD031: server s has no user mapping for ann and none for PUBLIC");
        assertThatThrownBy(() -> catalog.mapping("t", "ann"))
                .isInstanceOfSatisfying(
                        RemoteException.class, e -> assertThat(e.code()).isEqualTo(RemoteErrorCode.SERVER_NOT_FOUND));
        session.execute("CREATE USER MAPPING FOR public SERVER s OPTIONS (user 'app', password '$PW');"
                + " CREATE USER MAPPING FOR ann SERVER s OPTIONS (remote_user 'a')");
        assertThat(catalog.mapping("s", "ann").remoteUser()).isEqualTo("a");
        assertThat(catalog.mapping("s", "bob").remoteUser()).isEqualTo("app");
        session.execute("ALTER USER MAPPING FOR PUBLIC SERVER s OPTIONS (DROP password, ADD password_file '/pw')");
        UserMapping mapping = catalog.mapping("s", "bob");
        assertThat(mapping.remotePassword()).hasToString("file /pw");
        session.execute("DROP USER MAPPING FOR USER SERVER s");
        assertThat(catalog.mapping("s", "ann").remoteUser()).isEqualTo("app");
        assertThat(recording.lines).contains("altered PUBLIC on s as app false", "dropped ann on s as a");
    }

    @Test
    void theHealthCheckUsesAMappingAndNeverAnEmptyUser() throws SQLException {
        createServer("s", "host 'a'");
        assertThat(catalog.healthMapping("s")).isNull();
        session.execute("CREATE USER MAPPING FOR zoe SERVER s; CREATE USER MAPPING FOR bob SERVER s");
        assertThat(catalog.healthMapping("s").localUser()).isEqualTo("bob");
        session.execute("CREATE USER MAPPING FOR PUBLIC SERVER s OPTIONS (user 'app')");
        assertThat(catalog.healthMapping("s").isPublic()).isTrue();
        session.execute("ALTER SERVER s OPTIONS (health_check_user 'zoe')");
        assertThat(catalog.healthMapping("s").localUser()).isEqualTo("zoe");
    }

    @Test
    void callsGoToTheRegistry() throws SQLException {
        createServer("a", "warmup_connections '3'");
        createServer("b", "host 'b'");
        recording.lines.clear();
        assertThat(session.execute("CALL sys.warmup_pool('a', 5); call sys.warmup_pool(A);"
                        + " CALL sys.evict_idle_connections('b'); CALL sys.evict_idle_connections();"
                        + " CALL sys.close_all_connections(); CALL sys.reset_connection(b, '17')"))
                .hasSize(6)
                .containsOnly("CALL");
        assertThat(recording.lines)
                .containsExactly(
                        "warmup a 5",
                        "warmup a 3",
                        "evict b",
                        "evict a",
                        "evict b",
                        "close a",
                        "close b",
                        "reset b 17");
    }

    @Test
    void aWrongCallSaysWhatIsExpected() throws SQLException {
        createServer("a", "host 'a'");
        assertThatThrownBy(() -> session.execute("CALL sys.warmup_pol('a')"))
                .hasMessageContaining("line 1, column 10: there is no procedure \"warmup_pol\"; nearest: warmup_pool");
        assertThatThrownBy(() -> session.execute("CALL sys.warmup_pool()"))
                .hasMessageContaining("the call has 0 arguments; expected: sys.warmup_pool(server [, number])");
        assertThatThrownBy(() -> session.execute("CALL sys.warmup_pool(a, 101)"))
                .hasMessageContaining("RD032: line 1, column 25: option argument number is '101'; allowed: 0 to 100");
        assertThatThrownBy(() -> session.execute("CALL sys.warmup_pool(x, 1)")).hasMessageStartingWith("RD030: line 1");
        assertThatThrownBy(() -> session.execute("CALL other.f()")).hasMessageContaining("no schema \"other\"");
        assertThatThrownBy(() -> session.execute("\n CALL sys.reset_connection(a, 404)"))
                .hasMessage("RD012: line 2, column 2: there is no connection 404");
    }

    @Test
    void aListenerThatFailsHindersNobody() throws SQLException {
        Catalog other = new Catalog();
        other.addListener(new CatalogListener() {
            @Override
            public void serverCreated(ServerDefinition server) {
                throw new IllegalStateException("on purpose");
            }
        });
        other.addListener(recording);
        new CatalogSession(other, recording, "ann").execute("CREATE SERVER s FOREIGN DATA WRAPPER mysql_fdw");
        assertThat(recording.lines).containsExactly("created s");
    }

    @Test
    void aCheckMayRefuseADefinition() throws SQLException {
        Catalog strict = new Catalog(() -> now, new CatalogCheck() {
            @Override
            public void check(ServerDefinition server) throws RemoteException {
                if (server.type() == RemoteDatabaseType.MSSQL) {
                    throw RemoteException.invalidOption("type", "mssql", "a type with a driver");
                }
            }
        });
        CatalogSession other = new CatalogSession(strict, recording, "ann");
        other.execute("CREATE SERVER s FOREIGN DATA WRAPPER mysql_fdw");
        assertThatThrownBy(() -> other.execute("CREATE SERVER t FOREIGN DATA WRAPPER mssql_fdw"))
                .hasMessageContaining("a type with a driver");
        assertThat(strict.servers()).hasSize(1);
    }

    private void createServer(String name, String options) throws SQLException {
        session.execute("CREATE SERVER " + name + " FOREIGN DATA WRAPPER postgresql_fdw OPTIONS (" + options + ")");
    }
}
