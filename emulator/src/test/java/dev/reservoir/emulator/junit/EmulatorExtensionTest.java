package dev.reservoir.emulator.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.emulator.Backend;
import dev.reservoir.emulator.DsqlEmulator;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class EmulatorExtensionTest {
    @RegisterExtension
    static final EmulatorExtension dsql = EmulatorExtension.with(builder -> builder.backend(Backend.stub()));

    private static int port;

    @Test
    void aTestGetsTheEmulatorByEitherWay(DsqlEmulator emulator) throws SQLException {
        assertThat(emulator).isSameAs(dsql.emulator());
        try (var connection = DriverManager.getConnection(emulator.jdbcUrl(), "admin", "")) {
            assertThat(connection.isValid(5)).isTrue();
        }
        port = emulator.port();
    }

    @Nested
    class Within {
        @Test
        void aNestedClassHasTheSame(DsqlEmulator emulator) {
            assertThat(emulator.port()).isEqualTo(dsql.emulator().port());
            assertThat(port == 0 || port == emulator.port()).isTrue();
        }
    }

    @Test
    void oneThatWasNotStartedSaysWhy() {
        assertThatThrownBy(() -> new EmulatorExtension().emulator())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("static");
    }
}
