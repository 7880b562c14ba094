package dev.reservoir.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.cli.console.MisuseException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses of a PostgreSQL, as people give them. */
class BackendUrlTest {

    @ParameterizedTest
    @CsvSource(delimiterString = " -> ", nullValues = "-", textBlock = """
            postgresql://me@db.example:6543/orders  -> db.example, 6543, orders, me
            postgres://me@127.0.0.1                 -> 127.0.0.1, 5432, postgres, me
            postgresql://a%40b+c@[::1]:65535/x      -> [::1], 65535, x, a@b+c
            """)
    void whatPsqlTakes(String text, String parts) {
        String[] part = parts.split(", *", -1);
        assertThat(BackendUrl.parse("--backend-url", text))
                .isEqualTo(new BackendUrl(part[0], Integer.parseInt(part[1]), part[2], part[3]));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://me:hunter2@db/x",
                "mysql://me:hunter2@db/x",
                "postgresql://db/hunter2",
                "postgresql://me:hunter2@db/x?ssl=true",
                "postgresql://me:hunter2@d b/x"
            })
    void whatIsNoneIsRefusedWithoutShowingIt(String text) {
        assertThatThrownBy(() -> BackendUrl.parse("--backend-url", text))
                .isInstanceOf(MisuseException.class)
                .hasMessageStartingWith("--backend-url is not such an address; allowed: postgresql://user@host")
                .hasMessageNotContaining("hunter2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "65536", "99999"})
    void aPortThatIsNoneIsRefused(String port) {
        assertThatThrownBy(() -> BackendUrl.parse("--backend-url", "postgresql://me@db:" + port + "/x"))
                .isInstanceOf(MisuseException.class)
                .hasMessage("--backend-url has the port " + port + "; allowed: 1 to 65535");
    }

    @Test
    void aPasswordInItIsRefusedWithoutShowingIt() {
        assertThatThrownBy(() -> BackendUrl.parse("--backend-url", "postgresql://me:hunter2@db/x"))
                .isInstanceOf(MisuseException.class)
                .hasMessageStartingWith("--backend-url has a password in it, which everybody on this machine can see")
                .hasMessageNotContaining("hunter2");
    }
}
