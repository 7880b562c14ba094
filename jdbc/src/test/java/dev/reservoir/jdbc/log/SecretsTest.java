package dev.reservoir.jdbc.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** No text that is shown contains a password. */
class SecretsTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "jdbc:postgresql://h/db?user=u&password=hunter2 | jdbc:postgresql://h/db?user=u&password=***",
                "jdbc:postgresql://h/db?password=hunter2&ssl=true | jdbc:postgresql://h/db?password=***&ssl=true",
                "jdbc:postgresql://h/db?sslpassword=hunter2 | jdbc:postgresql://h/db?sslpassword=***",
                "jdbc:postgresql://u:hunter2@h/db | jdbc:postgresql://u:***@h/db",
                "jdbc:postgresql://u:hunt@er2@h/db | jdbc:postgresql://u:***@h/db",
                "jdbc:sqlserver://h;user=u;password=hunter2;x=y | jdbc:sqlserver://h;user=u;password=***;x=y",
                "jdbc:sqlserver://h;PWD=hunter2 | jdbc:sqlserver://h;PWD=***",
                "jdbc:oracle:thin:u/hunter2@//h:1521/s | jdbc:oracle:thin:u/***@//h:1521/s",
                "jdbc:mysql://(host=h,user=u,password=hunter2)/db | jdbc:mysql://(host=h,user=u,password=***)/db",
                "jdbc:postgresql://h/db?password=a)bc | jdbc:postgresql://h/db?password=***",
                "jdbc:postgresql://h/db?password=a)b,c(d&ssl=true | jdbc:postgresql://h/db?password=***&ssl=true",
                "jdbc:x:(a=(host=h)(password=hunter2)(user=u))?b=c | jdbc:x:(a=(host=h)(password=***)(user=u))?b=c",
                "jdbc:x://h?pass=hunter2&bypass=no | jdbc:x://h?pass=***&bypass=no",
                "jdbc:x://h;apiKey=hunter2;a=b | jdbc:x://h;apiKey=***;a=b",
                "jdbc:x://h?accessToken=hunter2&a=b | jdbc:x://h?accessToken=***&a=b",
                "jdbc:postgresql://h:5432/db?user=u | jdbc:postgresql://h:5432/db?user=u",
                "jdbc:reservoir:orders | jdbc:reservoir:orders"
            })
    void aUrlIsShownWithoutItsPassword(String url, String shown) {
        assertThat(Secrets.maskUrl(url)).isEqualTo(shown);
    }

    @Test
    void anErrorWithoutSecretsIsLeftAlone() {
        SQLException error = new SQLException("refused", "08001");

        assertThat((Throwable) Secrets.clean(error, "hunter2", "jdbc:fake:x?password=hunter2"))
                .isSameAs(error);
        assertThat((Throwable) Secrets.clean(error, null, null)).isSameAs(error);
    }

    @Test
    void anErrorThatShowsASecretAnywhereInItsChainIsReplaced() {
        SQLException error = new SQLException("no login", "28000", 18456, new IOException("pw hunter2 is wrong"));

        SQLException clean = Secrets.clean(error, "hunter2", null);

        assertThat((Throwable) clean).hasMessage("no login").hasNoCause();
        assertThat(clean.getSQLState()).isEqualTo("28000");
        assertThat(clean.getErrorCode()).isEqualTo(18456);
        assertThat(clean.getStackTrace()).isEqualTo(error.getStackTrace());
    }

    @Test
    void anErrorThatShowsASecretInAnExceptionLinkedToItIsReplaced() {
        SQLException error = new SQLException("no login", "28000");
        error.setNextException(new SQLException("pw hunter2 is wrong"));

        assertThat((Throwable) Secrets.clean(error, "hunter2", null).getNextException())
                .isNull();
    }

    @Test
    void anErrorThatShowsTheUrlIsShownWithTheMaskedOne() {
        String url = "jdbc:fake:x?password=hunter2";

        assertThat((Throwable) Secrets.clean(new SQLException("cannot reach " + url), null, url))
                .hasMessage("cannot reach jdbc:fake:x?password=***");
    }
}
