package dev.reservoir.jdbc.error;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The host in a URL is found, and no other part of the URL is shown. */
class UrlHostTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            emptyValue = "",
            value = {
                "jdbc:postgresql://db.example.com:5432/orders?user=u&password=p | db.example.com:5432 | db.example.com",
                "jdbc:postgresql://db.example.com/orders | db.example.com | db.example.com",
                "jdbc:postgresql://a:5432,b:5433/orders | a:5432,b:5433 | a",
                "jdbc:postgresql://user@db/orders | db | db",
                "jdbc:postgresql://user:hunter2@db:5432/orders | db:5432 | db",
                "jdbc:postgresql://user:hun/ter2@db:5432/orders | db:5432 | db",
                "jdbc:postgresql://user:hun@ter2@db:5432/orders | db:5432 | db",
                "jdbc:postgresql://[::1]:5432/orders | [::1]:5432 | [::1]",
                "jdbc:postgresql:orders | '' | ''",
                "jdbc:postgresql:///orders | '' | ''",
                "jdbc:mysql:replication://a,b:3307/orders | a,b:3307 | a",
                "jdbc:mysql://(host=h,password=hunter2)/orders | '' | ''",
                "jdbc:sqlserver://db\\main:1433;password=hunter2 | db\\main:1433 | db",
                "jdbc:sqlserver://;serverName=db;password=hunter2 | '' | ''",
                "jdbc:oracle:thin:@db:1521:orders | db:1521 | db",
                "jdbc:oracle:thin:@//db:1521/orders | db:1521 | db",
                "jdbc:oracle:thin:u/hunter2@//db:1521/orders | db:1521 | db",
                "jdbc:oracle:thin:u/hun//ter2@db:1521/orders | db:1521 | db",
                "jdbc:oracle:thin:@(DESCRIPTION=(HOST=db)) | '' | ''",
                "jdbc:firebirdsql://db:3050//data/orders.fdb | db:3050 | db",
                "jdbc:db2://db:50000/orders:user=u;password=hun//ter2; | db:50000 | db",
                "jdbc:h2:mem:orders | '' | ''",
                "jdbc:fake:x?password=//hunter2 | '' | ''",
                "jdbc:fake:password=a//hunter2 | '' | ''"
            })
    void theHostIsFound(String url, String withPort, String host) {
        assertThat(UrlHost.withPort(url)).isEqualTo(withPort).doesNotContain("ter2");
        assertThat(UrlHost.of(url)).isEqualTo(host);
    }

    @Test
    void noUrlHasNoHost() {
        assertThat(UrlHost.withPort(null)).isEmpty();
        assertThat(UrlHost.of(null)).isEmpty();
    }
}
