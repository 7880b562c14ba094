package dev.reservoir.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.jdbc.config.NamedDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Properties;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A data source of a driver, given by the name of its class, gets the driver properties through its setters. */
class DataSourceClassNameTest {
    private static Properties properties() {
        Properties properties = new Properties();
        properties.setProperty("dataSourceClassName", PGSimpleDataSource.class.getName());
        properties.setProperty("driver.serverName", "localhost");
        properties.setProperty("driver.portNumber", Integer.toString(TestPostgres.port()));
        properties.setProperty("driver.databaseName", TestPostgres.DATABASE);
        properties.setProperty("driver.applicationName", "by-class");
        properties.setProperty("driver.tcpKeepAlive", "true");
        properties.setProperty("maxOpen", "1");
        return properties;
    }

    @Test
    void itGivesThePhysicalConnections() throws SQLException {
        Properties properties = properties();
        properties.setProperty("username", TestPostgres.USER);
        properties.setProperty("password", TestPostgres.password());
        try (ReservoirDataSource dataSource =
                        ReservoirDataSource.fromProperties(properties).build();
                Connection connection = dataSource.getConnection()) {
            assertThat(connection.getMetaData().getUserName()).isEqualTo(TestPostgres.USER);
            assertThat(connection.getClientInfo("ApplicationName")).isEqualTo("by-class");
            assertThat(dataSource.getDataSourceClassName()).isEqualTo(PGSimpleDataSource.class.getName());
        }
    }

    @Test
    void itsOwnUserIsTakenIfTheSettingsNameNone() throws SQLException {
        Properties properties = properties();
        properties.setProperty("driver.user", TestPostgres.USER);
        properties.setProperty("driver.password", TestPostgres.password());
        try (ReservoirDataSource dataSource =
                        ReservoirDataSource.fromProperties(properties).build();
                Connection connection = dataSource.getConnection()) {
            assertThat(connection.getMetaData().getUserName()).isEqualTo(TestPostgres.USER);
        }
    }

    private static DataSource made(String key, String value) {
        return NamedDataSource.make(Sample.class.getName(), Map.of(key, value));
    }

    /** Has setters of every kind. */
    public static final class Sample extends PGSimpleDataSource {
        private static final long serialVersionUID = 1L;
        private Object seen = "nothing";

        public void setCount(int value) {
            seen = value;
        }

        public void setMany(long value) {
            seen = value;
        }

        public void setFast(boolean value) {
            seen = value;
        }

        public void setShare(double value) {
            seen = value;
        }

        public void setPin(char[] value) {
            seen = new String(value);
        }

        public void setEither(int value) {
            seen = "the number " + value;
        }

        public void setEither(String value) {
            seen = value;
        }

        public void setOther(Object value) {
            seen = value;
        }

        public void setWhim(String value) {
            if (!value.isEmpty()) {
                throw new IllegalStateException("no " + value);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"count, 5", "many, 5000000000", "fast, true", "share, 0.5", "pin, 1234", "either, 7", "COUNT, 6"})
    void aTextBecomesWhatTheSetterTakes(String key, String value) {
        assertThat(((Sample) made(key, value)).seen).hasToString(value);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cuont | 5 | driver.cuont is not a property of SAMPLE; the nearest that is: driver.count",
                "count | five | driver.count is \"five\"; allowed: a whole number",
                "share | half | driver.share is \"half\"; allowed: a number",
                "fast | very | driver.fast is \"very\"; allowed: true or false",
                "other | x | driver.other is a java.lang.Object; allowed: properties that are text, numbers, or true or false",
                "whim | hunter2 | driver.whim was refused by SAMPLE: java.lang.IllegalStateException: no ***"
            })
    void whatCannotBeSetIsRefusedByName(String key, String value, String message) {
        assertThatThrownBy(() -> made(key, value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message.replace("SAMPLE", Sample.class.getName()));
    }

    @Test
    void aClassThatIsNoDataSourceIsRefused() {
        ReservoirDataSource bean = new ReservoirDataSource();
        bean.setDataSourceClassName("java.lang.String");

        assertThatThrownBy(bean::start)
                .hasMessageStartingWith("dataSourceClassName is java.lang.String; allowed: a public class on the class"
                        + " path that is a javax.sql.DataSource");
    }
}
