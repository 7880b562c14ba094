package dev.reservoir.dsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** URLs of AWS's connector by way of the driver manager. */
class DsqlDriverTest {
    private static final String URL = "jdbc:aws-dsql:postgresql://abc.dsql.us-east-1.on.aws/postgres";

    @BeforeEach
    void keys() {
        System.setProperty("aws.accessKeyId", TestCluster.KEY);
        System.setProperty("aws.secretAccessKey", TestCluster.SECRET);
    }

    @AfterEach
    void noKeys() {
        System.clearProperty("aws.accessKeyId");
        System.clearProperty("aws.secretAccessKey");
    }

    @Test
    void aUrlIsEnoughForATool() throws SQLException {
        try (TestCluster cluster = TestCluster.stub()) {
            String url = "jdbc:aws-dsql:postgresql://" + cluster.endpoint() + ":" + cluster.port()
                    + "/postgres?region=us-east-1&sslrootcert=" + cluster.caCertificate();
            Properties info = new Properties();
            info.setProperty("user", "app");
            info.setProperty("password", "");
            info.setProperty("token-duration-secs", "60");
            try (Connection connection = DriverManager.getConnection(url, info);
                    Statement statement = connection.createStatement()) {
                assertThat(statement.execute("select 1")).isTrue();
            }
            assertThatThrownBy(() -> DriverManager.getConnection(url + "&token-duration-secs=0", info))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("token-duration-secs is 0.0 s; allowed");
        }
    }

    @Test
    void otherUrlsAreLeftToOthers() throws SQLException {
        DsqlDriver driver = new DsqlDriver(false);
        assertThat(driver.acceptsURL(URL)).isTrue();
        assertThat(driver.acceptsURL("jdbc:postgresql://host/db")).isFalse();
        assertThat(driver.connect("jdbc:postgresql://host/db", new Properties()))
                .isNull();
        assertThat(driver.getPropertyInfo(URL, new Properties()))
                .extracting(info -> info.name)
                .containsExactly("user", "region", "profile", "token-duration-secs");
    }

    @Test
    void credentialsAreLookedForByOneSourceForEachProfile() {
        assertThat(DsqlDriver.credentials(null)).isSameAs(DsqlDriver.credentials(null));
        assertThat(DsqlDriver.credentials("a"))
                .isSameAs(DsqlDriver.credentials("a"))
                .isNotSameAs(DsqlDriver.credentials(null));
    }

    @Test
    void itStepsBackWhereAwssOwnIsThere() throws SQLException {
        DsqlDriver driver = new DsqlDriver(true);
        assertThat(driver.acceptsURL(URL)).isFalse();
        assertThat(driver.connect(URL, new Properties())).isNull();
    }

    @Test
    void aHostThatTellsNoRegionNeedsOne() {
        assertThatThrownBy(() -> new DsqlDriver(false).connect("jdbc:aws-dsql:postgresql://localhost", null))
                .isInstanceOf(SQLException.class)
                .hasMessageStartingWith("region is missing, and the host localhost does not tell it");
    }
}
