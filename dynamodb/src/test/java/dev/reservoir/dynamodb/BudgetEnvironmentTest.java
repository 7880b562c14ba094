package dev.reservoir.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.cluster.LeaseMode;
import dev.reservoir.cluster.PermitMode;
import dev.reservoir.dynamodb.store.DsqlHosts;
import dev.reservoir.dynamodb.store.DynamoClient;
import dev.reservoir.testkit.LogLines;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BudgetEnvironmentTest {
    private static final String CLUSTER = "abcdefghijklmnopqrstuvwxyz.dsql.eu-west-2.on.aws";

    private final LogLines log = new LogLines();
    private final Map<String, String> variables = new HashMap<>();

    @AfterEach
    void stopListening() {
        log.close();
    }

    @Test
    void withoutVariablesThereIsNoBudget() {
        assertThat(DynamoBudget.fromEnvironment(Map.of(), CLUSTER)).isNull();
        variables.put(BudgetEnvironment.PERMITS, "");
        variables.put(BudgetEnvironment.LEASES, "false");
        variables.put(BudgetEnvironment.RATE, "nonsense, but nobody asks");
        assertThat(DynamoBudget.fromEnvironment(variables, CLUSTER)).isNull();
    }

    @Test
    void permitsHaveTheirDefaults() {
        variables.put(BudgetEnvironment.PERMITS, "true");
        variables.put(BudgetEnvironment.PERMIT_TABLE, "permits");

        BudgetConfig config = config();

        assertThat(config.permitTable()).isEqualTo("permits");
        assertThat(config.permitMode()).isEqualTo(PermitMode.RESERVATION);
        assertThat(config.ratePerSecond()).isEqualTo(100);
        assertThat(config.burst()).isEqualTo(1_000);
        assertThat(config.maxWait()).isEqualTo("PT30S");
        assertThat(config.leaseTable()).isNull();
        assertThat(config.leaseMode()).isNull();
        assertThat(config.region()).isEqualTo("eu-west-2");
    }

    @Test
    void leasesHaveTheirDefaults() {
        variables.put(BudgetEnvironment.LEASES, "1");
        variables.put(BudgetEnvironment.LEASE_TABLE, "leases");

        BudgetConfig config = config();

        assertThat(config.leaseTable()).isEqualTo("leases");
        assertThat(config.leaseMode()).isEqualTo(LeaseMode.SHARE);
        assertThat(config.limit()).isEqualTo(10_000);
        assertThat(config.leaseTime()).isEqualTo("PT1M");
        assertThat(config.whenAway()).isEqualTo("LOCAL_SHARE");
        assertThat(config.localRatePerSecond()).isNull();
        assertThat(config.serviceName()).isEqualTo("reservoir");
        assertThat(config.permitTable()).isNull();
        assertThat(config.permitMode()).isNull();
    }

    @Test
    void everyVariableIsRead() {
        all();

        BudgetConfig config = config();

        assertThat(config)
                .isEqualTo(new BudgetConfig(
                        CLUSTER,
                        CLUSTER,
                        "permits",
                        "leases",
                        "us-east-2",
                        URI.create("http://localhost:8000"),
                        "orders",
                        PermitMode.WINDOW,
                        50,
                        20,
                        "PT1M30S",
                        LeaseMode.COUNTER,
                        500,
                        "PT20S",
                        "STOP",
                        2.5,
                        200));
        assertThat(log.lines()).isEmpty();
    }

    @Test
    void anEmptyVariableIsNone() {
        all();
        variables.put(BudgetEnvironment.RATE, " ");
        variables.put(BudgetEnvironment.LEASE_MODE, "");
        variables.put("AWS_REGION", "");

        BudgetConfig config = config();

        assertThat(config.ratePerSecond()).isEqualTo(100);
        assertThat(config.leaseMode()).isEqualTo(LeaseMode.SHARE);
        assertThat(config.region()).isEqualTo("eu-west-1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "t", "T", "true", "TRUE", "True"})
    void yesIsAsInGo(String yes) {
        variables.put(BudgetEnvironment.LEASES, yes);

        assertThatThrownBy(() -> DynamoBudget.fromEnvironment(variables, CLUSTER))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(BudgetEnvironment.LEASE_TABLE + " is missing; allowed: the name of a DynamoDB table, as "
                        + BudgetEnvironment.LEASES + " is on");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "DSQL_DISTRIBUTED_RATE_LIMITER_TABLE | a b | 3 to 255 letters, digits and _ . -",
                "DSQL_DISTRIBUTED_RATE_LIMITER_LIMIT | many | a number",
                "DSQL_DISTRIBUTED_RATE_LIMITER_LIMIT | -1 | more than 0, up to 1000000",
                "DSQL_DISTRIBUTED_RATE_LIMITER_LIMIT | 2.5 | a whole number with the mode window",
                "DSQL_DISTRIBUTED_RATE_LIMITER_MAX_WAIT | 30 | a duration such as 30s or 1m30s",
                "DSQL_DISTRIBUTED_RATE_LIMITER_MAX_WAIT | 1ms | 100 ms to 60 min",
                "DSQL_DISTRIBUTED_RATE_LIMITER_MODE | windows | reservation or window",
                "DSQL_DISTRIBUTED_RATE_LIMITER_BURST | 1.5 | a whole number",
                "DSQL_DISTRIBUTED_RATE_LIMITER_BURST | 0 | 1 to 1000000",
                "DSQL_DISTRIBUTED_CONN_LEASE_TABLE | x | 3 to 255 letters, digits and _ . -",
                "DSQL_DISTRIBUTED_CONN_LIMIT | 0 | 1 to 10000000",
                "DSQL_DISTRIBUTED_CONN_LEASE_MODE | shares | share or counter",
                "DSQL_DISTRIBUTED_CONN_LEASE_TIME | 1s | 3.0 s to 60 min",
                "DSQL_DISTRIBUTED_OUTAGE | go on | local-share or stop",
                "DSQL_DISTRIBUTED_OUTAGE_RATE | 60 | more than 0, up to the rate (50/s)",
                "DSQL_DISTRIBUTED_OUTAGE_PROCESSES | 0 | 1 to 100000",
                "DSQL_DISTRIBUTED_OUTAGE_PROCESSES | all | a whole number",
                "DSQL_DISTRIBUTED_SERVICE_NAME | a b | 1 to 100 letters, digits and . _ - / :",
                "DSQL_DISTRIBUTED_ENDPOINT_URL | localhost:8000 | such as http://localhost:8000"
            })
    void aBadValueIsRefusedByTheNameOfItsVariable(String variable, String value, String allowed) {
        all();
        variables.put(variable, value);

        assertThatThrownBy(() -> DynamoBudget.fromEnvironment(variables, CLUSTER))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(variable + " is ")
                .hasMessageContaining("; allowed: ")
                .hasMessageEndingWith(allowed);
    }

    @Test
    void aSwitchThatIsNeitherOnNorOffIsOffWithAWarning() {
        variables.put(BudgetEnvironment.PERMITS, "yes");
        variables.put(BudgetEnvironment.LEASES, "on");

        assertThat(DynamoBudget.fromEnvironment(variables, CLUSTER)).isNull();

        assertThat(log.lines())
                .containsExactly(
                        "WARN Reservoir: environment variable counts as false  key=DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED"
                                + " value=\"yes\" allowed=\"true or false\"",
                        "WARN Reservoir: environment variable counts as false  key=DSQL_DISTRIBUTED_CONN_LEASE_ENABLED"
                                + " value=\"on\" allowed=\"true or false\"");
    }

    @Test
    void aMisspeltVariableIsWarnedOfEvenIfNothingIsOn() {
        variables.put("DSQL_DISTRIBUTED_CONN_LEASE_ENABLE", "true");
        variables.put("DSQL_RESERVOIR_ENABLED", "true");

        assertThat(DynamoBudget.fromEnvironment(variables, CLUSTER)).isNull();

        assertThat(log.lines())
                .containsExactly("WARN Reservoir: environment variable not known, ignored "
                        + " key=DSQL_DISTRIBUTED_CONN_LEASE_ENABLE nearest=DSQL_DISTRIBUTED_CONN_LEASE_ENABLED");
    }

    @Test
    void onlyVariablesOfTheBudgetAreKept() {
        Map<String, String> budget =
                Map.of(BudgetEnvironment.PERMITS, "1", BudgetEnvironment.LIMIT, "5", "AWS_REGION", "eu-west-1");
        variables.putAll(budget);
        variables.put("AWS_SECRET_ACCESS_KEY", "secret");
        variables.put("PGPASSWORD", "secret");

        assertThat(BudgetEnvironment.requested(variables)).isEqualTo(budget);
    }

    @Test
    void withoutASwitchNoBudgetIsRequested() {
        variables.put(BudgetEnvironment.PERMITS, " ");
        variables.put(BudgetEnvironment.LIMIT, "5");
        variables.put("AWS_REGION", "eu-west-1");

        assertThat(BudgetEnvironment.requested(variables)).isEmpty();
        assertThat(log.lines()).isEmpty();
    }

    @Test
    void aSwitchThatIsNotClearlyOnIsNotKept() {
        variables.put(BudgetEnvironment.PERMITS, "true");
        variables.put(BudgetEnvironment.LEASES, "yes");

        assertThat(BudgetEnvironment.requested(variables)).isEqualTo(Map.of(BudgetEnvironment.PERMITS, "true"));
        assertThat(log.lines()).hasSize(1);
    }

    @Test
    void theRegionComesFromTheHostWhereNothingElseTellsIt() {
        assertThat(DsqlHosts.regionOf(CLUSTER)).isEqualTo("eu-west-2");
        assertThat(DsqlHosts.regionOf("x.DSQL-fnh4.us-east-1.on.aws:5432")).isEqualTo("us-east-1");
        assertThat(DsqlHosts.regionOf("db.example.com")).isNull();
    }

    @Test
    void everyKnownVariableIsDocumentedByItsPrefix() {
        assertThat(BudgetEnvironment.KNOWN)
                .doesNotHaveDuplicates()
                .allMatch(name -> name.startsWith("DSQL_DISTRIBUTED_"))
                .containsAll(List.of(
                        "DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED",
                        "DSQL_DISTRIBUTED_RATE_LIMITER_TABLE",
                        "DSQL_DISTRIBUTED_RATE_LIMITER_LIMIT",
                        "DSQL_DISTRIBUTED_RATE_LIMITER_MAX_WAIT",
                        "DSQL_DISTRIBUTED_CONN_LEASE_ENABLED",
                        "DSQL_DISTRIBUTED_CONN_LEASE_TABLE",
                        "DSQL_DISTRIBUTED_CONN_LIMIT"));
    }

    private void all() {
        variables.put(BudgetEnvironment.PERMITS, "true");
        variables.put(BudgetEnvironment.PERMIT_TABLE, "permits");
        variables.put(BudgetEnvironment.RATE, "50");
        variables.put(BudgetEnvironment.MAX_WAIT, "1m30s");
        variables.put(BudgetEnvironment.PERMIT_MODE, "window");
        variables.put(BudgetEnvironment.BURST, "20");
        variables.put(BudgetEnvironment.LEASES, "true");
        variables.put(BudgetEnvironment.LEASE_TABLE, "leases");
        variables.put(BudgetEnvironment.LIMIT, "500");
        variables.put(BudgetEnvironment.LEASE_MODE, "Counter");
        variables.put(BudgetEnvironment.LEASE_TIME, "20s");
        variables.put(BudgetEnvironment.OUTAGE, "stop");
        variables.put(BudgetEnvironment.OUTAGE_RATE, "2.5");
        variables.put(BudgetEnvironment.OUTAGE_PROCESSES, "200");
        variables.put(BudgetEnvironment.SERVICE_NAME, "orders");
        variables.put(BudgetEnvironment.ENDPOINT_URL, "http://localhost:8000");
        variables.put("REGION", "eu-west-1");
        variables.put("AWS_REGION", "us-east-2");
    }

    private BudgetConfig config() {
        return BudgetEnvironment.read(variables, CLUSTER).config();
    }

    @Test
    void aPasswordInAUrlIsRefusedAndNotShown() {
        String url = "http://me:hunter2@localhost:8000";
        assertThatThrownBy(() -> DynamoClient.shared("eu-west-1", URI.create(url)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("endpoint has a user or a password in it; allowed:")
                .hasMessageNotContaining("hunter2");
        assertThatThrownBy(() -> BudgetEnvironment.read(
                        Map.of(
                                BudgetEnvironment.PERMITS, "true",
                                BudgetEnvironment.PERMIT_TABLE, "permits",
                                BudgetEnvironment.ENDPOINT_URL, url),
                        CLUSTER))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(BudgetEnvironment.ENDPOINT_URL)
                .hasMessageNotContaining("hunter2");
    }
}
