package dev.reservoir.dsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.core.SettingException;
import dev.reservoir.dsql.endpoint.ClusterLogin;
import dev.reservoir.dsql.endpoint.Endpoint;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a data source refuses before it starts, and what it tells the driver. */
class DsqlDataSourceBuilderTest {
    private static final Endpoint ENDPOINT = new Endpoint("abc.dsql.us-east-1.on.aws", 5432);

    @Test
    void withoutAnEndpointNothingStarts() {
        assertThatThrownBy(() -> DsqlDataSource.builder().build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("endpoint is missing; allowed: the host name of a cluster")
                .hasMessageContaining("CLUSTER_ENDPOINT");
        assertThatThrownBy(() -> DsqlDataSource.fromEnvironment(Map.of()).build())
                .hasMessageStartingWith("endpoint is missing");
    }

    @Test
    void aHostThatTellsNoRegionNeedsOne() {
        assertThatThrownBy(() -> DsqlDataSource.fromEnvironment(Map.of("CLUSTER_ENDPOINT", "localhost"))
                        .build())
                .isInstanceOf(SettingException.class)
                .hasMessage("region is missing; allowed: a region such as us-east-1. The endpoint localhost does not"
                        + " contain it; set region, REGION or AWS_REGION");
    }

    @Test
    void valuesThatAreNotAllowedAreRefusedByName() {
        DsqlDataSourceBuilder builder = DsqlDataSource.builder();
        assertThatThrownBy(() -> builder.maxOpen(0)).hasMessage("maxOpen is 0; allowed: 1 or more");
        assertThatThrownBy(() -> builder.connectionRateLimit(0)).hasMessageStartingWith("connectionRateLimit is 0.0;");
        assertThatThrownBy(() -> builder.connectionBurstLimit(0)).hasMessageStartingWith("connectionBurstLimit is 0;");
        assertThatThrownBy(() -> builder.tokenDuration(Duration.ofDays(8))).hasMessageStartingWith("tokenDuration is ");
        assertThatThrownBy(() -> builder.url("jdbc:postgresql://host/db")).hasMessageStartingWith("url is ");
        assertThatThrownBy(() -> DsqlDataSource.builder()
                        .endpoint("abc.dsql.us-east-1.on.aws")
                        .name("a b")
                        .build())
                .hasMessageStartingWith("name is \"a b\"; allowed");
    }

    @Test
    void theDriverIsToldToCheckWhomItTalksTo() {
        ClusterLogin cluster = new ClusterLogin(ENDPOINT, "us-east-1", "postgres", "admin", null, Map.of());
        assertThat(cluster.url()).isEqualTo("jdbc:postgresql://abc.dsql.us-east-1.on.aws:5432/postgres");
        assertThat(cluster.properties())
                .containsEntry("sslmode", "verify-full")
                .containsEntry("sslfactory", "org.postgresql.ssl.DefaultJavaSSLFactory")
                .containsEntry("tcpKeepAlive", "true");
    }

    @Test
    void aCertificateOfOnesOwnTakesThePlaceOfJavas() {
        ClusterLogin cluster =
                new ClusterLogin(ENDPOINT, "us-east-1", "postgres", "admin", Path.of("ca.pem"), Map.of());
        assertThat(cluster.properties()).containsEntry("sslrootcert", "ca.pem").doesNotContainKey("sslfactory");
        ClusterLogin byProperty = new ClusterLogin(
                ENDPOINT, "us-east-1", "postgres", "admin", null, Map.of("sslrootcert", "x", "ApplicationName", "y"));
        assertThat(byProperty.properties())
                .containsEntry("sslrootcert", "x")
                .containsEntry("ApplicationName", "y")
                .doesNotContainKey("sslfactory");
    }
}
