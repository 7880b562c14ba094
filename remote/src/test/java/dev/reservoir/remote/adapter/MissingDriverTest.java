package dev.reservoir.remote.adapter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.remote.adapter.jdbc.ConnectOptions;
import dev.reservoir.remote.adapter.jdbc.DriverProfile;
import dev.reservoir.remote.adapter.jdbc.ErrorTable;
import dev.reservoir.remote.adapter.jdbc.JdbcAdapter;
import dev.reservoir.remote.model.RemoteDatabaseType;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.UserMapping;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A driver that is not there, and adapters that replace those of Reservoir. */
class MissingDriverTest {
    private static final class NoDriver implements DriverProfile {
        @Override
        public DriverInfo info() {
            return new DriverInfo("none", "org.example.NoDriver", "org.example:no-driver");
        }

        @Override
        public Set<Capability> capabilities() {
            return Set.of();
        }

        @Override
        public String url(ConnectOptions options) {
            return "jdbc:none:";
        }

        @Override
        public void configure(ConnectOptions options, Properties properties) {
            properties.put("user", options.mapping().remoteUser());
        }

        @Override
        public ResetResult reset(Connection connection) {
            return ResetResult.REPLACE;
        }
    }

    private static final class OtherPostgres extends JdbcAdapter {
        OtherPostgres() {
            super(RemoteDatabaseType.POSTGRESQL, ErrorTable.builder().build(), new NoDriver());
        }
    }

    @Test
    void theErrorNamesTheArtifactToAdd() throws RemoteException {
        ServerDefinition server = ServerDefinition.builder("legacy", RemoteDatabaseType.POSTGRESQL)
                .host("db.example")
                .build();
        UserMapping mapping = UserMapping.builder("legacy", "tester").build();
        RemoteException error = AdapterContract.fails(
                RemoteErrorCode.CONNECTION_FAILED,
                () -> new OtherPostgres().connect(server, mapping, Duration.ofSeconds(1)));
        assertThat((Throwable) error).hasMessageContaining("legacy").hasMessageContaining("add org.example:no-driver");
        assertThat(error.isRetryable()).isFalse();
    }

    @Test
    void anAdapterOfTheApplicationReplacesOurs() throws RemoteException {
        ServerDefinition server = ServerDefinition.builder("legacy", RemoteDatabaseType.POSTGRESQL)
                .host("db.example")
                .build();
        DatabaseAdapter ours = Adapters.installed().find(server);
        DatabaseAdapter theirs = (DatabaseAdapter) java.lang.reflect.Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {DatabaseAdapter.class},
                (proxy, method, arguments) -> method.getName().equals("name") ? "postgresql" : null);
        assertThat(Adapters.of(List.of(theirs, ours)).find(server)).isSameAs(theirs);
        assertThat(Adapters.of(List.of(ours, theirs)).find(server)).isSameAs(theirs);
    }

    @Test
    void aServerMayNameAnAdapterThatIsNotThatOfItsType() throws RemoteException {
        ServerDefinition server = ServerDefinition.builder("legacy", RemoteDatabaseType.POSTGRESQL)
                .host("db.example")
                .driverOption("adapter", "mysql")
                .build();
        assertThat(Adapters.installed().find(server).name()).isEqualTo("mysql");
        ServerDefinition unknown =
                server.toBuilder().driverOption("adapter", "oracle").build();
        RemoteException error = AdapterContract.fails(
                RemoteErrorCode.INVALID_OPTION, () -> Adapters.installed().find(unknown));
        assertThat((Throwable) error).hasMessageContaining("oracle").hasMessageContaining("mysql");
    }

    @Test
    void everyTypeHasAnAdapter() throws RemoteException {
        Adapters installed = Adapters.installed();
        for (RemoteDatabaseType type : RemoteDatabaseType.values()) {
            ServerDefinition server =
                    ServerDefinition.builder("s", type).host("db.example").build();
            DatabaseAdapter adapter = installed.find(server);
            assertThat(adapter.name()).isEqualTo(type.label());
            assertThat(adapter.defaultPort()).isEqualTo(type.defaultPort());
            assertThat(adapter.healthQuery()).isEqualTo(type.healthQuery());
        }
    }
}
