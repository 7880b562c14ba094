package dev.reservoir.dsql.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** URLs of AWS's connector. */
class AwsUrlTest {
    private static final String URL = "jdbc:aws-dsql:postgresql://abc.dsql.us-east-1.on.aws";

    @Test
    void aHostIsEnough() {
        assertThat(AwsUrl.parse(URL))
                .isEqualTo(new AwsUrl(
                        new Endpoint("abc.dsql.us-east-1.on.aws", 5432), null, null, null, null, null, Map.of()));
        assertThat(AwsUrl.parse(URL + "/").database()).isNull();
    }

    @Test
    void everyParameterOfAwsIsReadAndTheRestIsTheDrivers() {
        assertThat(AwsUrl.parse(
                        URL + ":6000/postgres?user=app&region=eu-west-1&profile=prod%20x&token-duration-secs=14400"
                                + "&ApplicationName=a%26b&sslNegotiation=direct&readOnly"))
                .isEqualTo(new AwsUrl(
                        new Endpoint("abc.dsql.us-east-1.on.aws", 6000),
                        "postgres",
                        "app",
                        "eu-west-1",
                        "prod x",
                        "14400",
                        Map.of("ApplicationName", "a&b", "sslNegotiation", "direct", "readOnly", "")));
    }

    @Test
    void otherUrlsAreRefused() {
        assertThat(AwsUrl.isAwsUrl(URL)).isTrue();
        assertThat(AwsUrl.isAwsUrl(null)).isFalse();
        assertThat(AwsUrl.isAwsUrl("jdbc:postgresql://host/db")).isFalse();
        assertThatThrownBy(() -> AwsUrl.parse("jdbc:postgresql://host/db?password=secret"))
                .hasMessage("url is jdbc:postgresql://host/db?...; allowed:"
                        + " jdbc:aws-dsql:postgresql://<host>:<port>/<database>?<parameters>");
        assertThatThrownBy(() -> AwsUrl.parse(URL + "/?database=x"))
                .hasMessageContaining("the database after the host");
        assertThatThrownBy(() -> AwsUrl.parse(URL + "/?Password=secret"))
                .hasMessageContaining("tokens replace it")
                .hasMessageNotContaining("secret");
        assertThatThrownBy(() -> AwsUrl.parse("jdbc:aws-dsql:postgresql:///postgres"))
                .hasMessageStartingWith("the host in url is \"\"; allowed");
    }
}
