package dev.reservoir.dsql;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;

/** A program that connects, for a process of its own. */
final class ModeProgram {
    private ModeProgram() {}

    /**
     * Takes the endpoint, the file with the certificate of its authority, and what stands in
     * {@code DSQL_RESERVOIR_ENABLED}.
     */
    public static void main(String[] args) throws SQLException {
        Map<String, String> variables = Map.of(
                "CLUSTER_ENDPOINT",
                args[0],
                "REGION",
                "us-east-1",
                "DSQL_STAGGERED_STARTUP_MAX_DELAY",
                "1ms",
                "DSQL_RESERVOIR_ENABLED",
                args[2]);
        try (DsqlDataSource dataSource = DsqlDataSource.fromEnvironment(variables)
                        .rootCertificate(Path.of(args[1]))
                        .credentialsProvider(TestCluster.GOOD)
                        .maxOpen(2)
                        .build();
                Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("select 1");
            if (dataSource.metrics().isEmpty()) {
                throw new IllegalStateException("no metrics");
            }
        }
    }
}
