package dev.reservoir.dsql.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Host, port and region of a cluster. */
class EndpointTest {
    private static final String ID = "abcdefghij0123456789klmnop";

    @Test
    void thePortIs5432UnlessItIsNamed() {
        assertThat(Endpoint.parse("endpoint", " " + ID + ".dsql.us-east-1.on.aws "))
                .isEqualTo(new Endpoint(ID + ".dsql.us-east-1.on.aws", 5432));
        assertThat(Endpoint.parse("endpoint", "localhost:6543")).isEqualTo(new Endpoint("localhost", 6543));
    }

    @ParameterizedTest
    @CsvSource({
        "abc.dsql.us-east-1.on.aws, us-east-1",
        "abc.dsql.ap-southeast-2.on.aws, ap-southeast-2",
        "abc.dsql.us-gov-west-1.on.aws, us-gov-west-1",
        "ABC.DSQL.EU-WEST-1.ON.AWS, eu-west-1",
        "abc.dsql-fnh4.us-east-2.on.aws, us-east-2",
        "abc.dsql.us-east-1.amazonaws.com,",
        "abc.rds.us-east-1.on.aws,",
        "dsql.us-east-1.on.aws,",
        "localhost,",
        "10.0.0.1,"
    })
    void theRegionStandsInTheHost(String host, String region) {
        assertThat(Endpoint.parse("endpoint", host).region()).isEqualTo(region);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "https://abc.dsql.us-east-1.on.aws",
                "host/db",
                "a b",
                "host:",
                "host:0",
                "host:70000",
                "-a",
                "host:1:2",
                "host?x=y"
            })
    void whatIsNoHostIsRefused(String text) {
        assertThatThrownBy(() -> Endpoint.parse("CLUSTER_ENDPOINT", text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("CLUSTER_ENDPOINT is \"" + text + "\"; allowed: the host name of a cluster");
    }
}
