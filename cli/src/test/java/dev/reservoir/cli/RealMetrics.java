package dev.reservoir.cli;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.cluster.BudgetStats;
import dev.reservoir.cluster.store.StoreCounts;
import dev.reservoir.dsql.DsqlDataSource;
import dev.reservoir.dsql.DsqlDataSource.Mode;
import dev.reservoir.dsql.tx.Retries;
import dev.reservoir.dsql.tx.TransactionMetrics;
import dev.reservoir.dynamodb.store.DsqlHosts;
import dev.reservoir.emulator.Backend;
import dev.reservoir.emulator.DsqlEmulator;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;

/** All metrics, read from the objects that have them: both modes on an emulated cluster, a budget, and transactions. */
final class RealMetrics {
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");

    private RealMetrics() {}

    static Map<String, Double> all() {
        Map<String, Double> all = new LinkedHashMap<>();
        try (DsqlEmulator cluster =
                DsqlEmulator.builder().backend(Backend.stub()).start()) {
            for (Mode mode : Mode.values()) {
                try (DsqlDataSource dataSource = dataSource(cluster, "metrics-of-" + mode, mode)) {
                    all.putAll(dataSource.metrics());
                }
            }
        }
        all.putAll(budget().asMetrics());
        all.putAll(transactions().asMetrics());
        return all;
    }

    static DsqlDataSource dataSource(DsqlEmulator cluster, String name, Mode mode) {
        return DsqlDataSource.builder()
                .name(name)
                .endpoint(cluster.endpoint())
                .region("us-east-1")
                .rootCertificate(cluster.caCertificate())
                .credentialsProvider(
                        StaticCredentialsProvider.create(AwsBasicCredentials.create("AKIDEXAMPLE", "not-a-secret")))
                .mode(mode)
                .maxOpen(2)
                .build();
    }

    private static BudgetStats budget() {
        return new BudgetStats(
                DsqlHosts.settings("a-cluster").build().metricPrefix(),
                "a-cluster",
                "a-member",
                1,
                false,
                0,
                new BudgetStats.Permits(0, 0, 0, 0, 0, 0, 0, 0),
                new BudgetStats.Leases(0, 0, 0, 0, 0, 0, 0, 0),
                StoreCounts.NONE);
    }

    /** The metrics of a transaction that failed, was retried and was given up. */
    private static TransactionMetrics transactions() {
        TransactionMetrics metrics = new TransactionMetrics();
        Retries once = Retries.builder()
                .retries(1)
                .sleeper(pause -> {})
                .metrics(metrics)
                .build();
        assertThatThrownBy(() -> once.call("operation", () -> {
                    throw new SQLException("change conflicts with another transaction (OC000)", "40001");
                }))
                .isInstanceOf(SQLException.class);
        return metrics;
    }

    static Set<String> names(Map<String, Double> metrics) {
        Set<String> names = new TreeSet<>();
        metrics.keySet().forEach(key -> names.add(key.replaceFirst("\\{.*", "")));
        return names;
    }

    /** The values that each label can have. */
    static Map<String, Set<String>> labels(Map<String, Double> metrics) {
        Map<String, Set<String>> labels = new TreeMap<>();
        for (String key : metrics.keySet()) {
            Matcher label = LABEL.matcher(key);
            while (label.find()) {
                labels.computeIfAbsent(label.group(1), any -> new TreeSet<>()).add(label.group(2));
            }
        }
        return labels;
    }
}
