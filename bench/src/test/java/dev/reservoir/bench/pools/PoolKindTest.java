package dev.reservoir.bench.pools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.bench.Jvm;
import dev.reservoir.bench.stub.StubConnection;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PoolKindTest {

    @ParameterizedTest
    @EnumSource
    void everyPoolHandsOutStubConnectionsUpToItsSize(PoolKind kind) throws SQLException, InterruptedException {
        Jvm.silenceLogs();
        try (PoolUnderTest pool = StubPools.openFull(kind, "serves-" + kind.id(), 2);
                Connection first = pool.dataSource().getConnection();
                Connection second = pool.dataSource().getConnection();
                Statement statement = first.createStatement()) {
            assertThat(first).isNotSameAs(second);
            assertThat(statement.execute("SELECT 1")).isFalse();
            assertThat(first.unwrap(StubConnection.class).statementsRun()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "RESERVOIR")
    void theVersionOfEachPeerIsKnown(PoolKind kind) {
        assertThat(kind.version()).matches("\\d+.*");
    }

    @Test
    void anUnknownPoolIsAnsweredWithTheOnesThereAre() {
        assertThatThrownBy(() -> PoolKind.parse("hikaricp,bonecp"))
                .hasMessageContaining("pool = bonecp")
                .hasMessageContaining("reservoir, hikaricp, agroal");
    }
}
