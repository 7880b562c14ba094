package dev.reservoir.dynamodb.store;

import dev.reservoir.cluster.LeaseMode;
import dev.reservoir.cluster.PermitMode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.regions.PartitionMetadata;
import software.amazon.awssdk.regions.Region;

/** Builds IAM policies for what a budget does, and no more. A transaction needs its parts' actions. Never calls AWS. */
public final class IamPolicies {
    private static final Set<String> PERMITS = Set.of("GetItem", "UpdateItem");

    /** The actions for being a member, reading the other members, and taking back what dead members held. */
    private static final Set<String> MEMBERSHIP =
            Set.of("BatchGetItem", "ConditionCheckItem", "DeleteItem", "GetItem", "PutItem", "UpdateItem");

    private static final Set<String> TABLES =
            Set.of("CreateTable", "DeleteTable", "DescribeTable", "DescribeTimeToLive", "UpdateTimeToLive");
    private static final Set<String> LOOKING_AND_REPAIRING =
            Set.of("BatchGetItem", "ConditionCheckItem", "DeleteItem", "GetItem", "Scan", "UpdateItem");

    private IamPolicies() {}

    /**
     * The tables that a policy covers.
     *
     * @param permitTable the table of permits, or null if there is none
     * @param leaseTable the table of leases, or null if there is none; may be the same
     * @param region the region, or null for any
     * @param account the number of the AWS account, or null for any
     */
    public record Scope(
            @Nullable String permitTable,
            @Nullable String leaseTable,
            @Nullable String region,
            @Nullable String account) {

        public Scope {
            check("permitTable", permitTable, DynamoTables.NAME_PATTERN, DynamoTables.NAME_ALLOWED);
            check("leaseTable", leaseTable, DynamoTables.NAME_PATTERN, DynamoTables.NAME_ALLOWED);
            check("region", region, "[a-z]{2,}(-[a-z]+)+-\\d+", "such as eu-west-1");
            check("account", account, "\\d{12}", "12 digits");
        }

        private static void check(String key, @Nullable String value, String pattern, String allowed) {
            if (value != null && !value.matches(pattern)) {
                throw new IllegalArgumentException(key + " is \"" + value + "\"; allowed: " + allowed);
            }
        }

        private String arn(String table) {
            String partition = region == null
                    ? "aws"
                    : PartitionMetadata.of(Region.of(region)).id();
            return "arn:" + partition + ":dynamodb:" + (region == null ? "*" : region) + ":"
                    + (account == null ? "*" : account) + ":table/" + table;
        }
    }

    /** Returns the policy for the processes of a fleet, as JSON. */
    public static String forProcesses(Scope scope, @Nullable PermitMode permitMode, @Nullable LeaseMode leaseMode) {
        return policy(scope, processActions(scope, permitMode, leaseMode));
    }

    /** Returns the policy for operators, who manage the tables and inspect and repair budgets, as JSON. */
    public static String forOperators(Scope scope) {
        Set<String> all = new TreeSet<>(TABLES);
        all.addAll(LOOKING_AND_REPAIRING);
        Map<String, Set<String>> byTable = new LinkedHashMap<>();
        if (scope.permitTable != null) {
            byTable.put(scope.permitTable, all);
        }
        if (scope.leaseTable != null) {
            byTable.put(scope.leaseTable, all);
        }
        return policy(scope, byTable);
    }

    /** Returns the actions that processes need, by table. */
    static Map<String, Set<String>> processActions(
            Scope scope, @Nullable PermitMode permitMode, @Nullable LeaseMode leaseMode) {
        Map<String, Set<String>> byTable = new LinkedHashMap<>();
        boolean leases = scope.leaseTable != null && leaseMode != null;
        if (scope.permitTable != null && permitMode != null) {
            Set<String> actions = actions(byTable, scope.permitTable);
            actions.addAll(PERMITS);
            if (!leases && permitMode == PermitMode.RESERVATION) {
                // The members are in the table of leases, or in this one if there is none.
                actions.addAll(MEMBERSHIP);
            }
        }
        if (leases && scope.leaseTable != null) {
            actions(byTable, scope.leaseTable).addAll(MEMBERSHIP);
        }
        return byTable;
    }

    private static Set<String> actions(Map<String, Set<String>> byTable, String table) {
        return byTable.computeIfAbsent(table, any -> new TreeSet<>());
    }

    private static String policy(Scope scope, Map<String, Set<String>> byTable) {
        if (byTable.isEmpty()) {
            throw new IllegalArgumentException("no table and mode given; allowed: at least one table with a mode");
        }
        Map<Set<String>, List<String>> tablesByActions = new LinkedHashMap<>();
        byTable.forEach((table, actions) -> tablesByActions
                .computeIfAbsent(actions, any -> new ArrayList<>())
                .add(scope.arn(table)));
        String statements = tablesByActions.entrySet().stream()
                .map(entry -> statement(entry.getKey(), entry.getValue()))
                .collect(Collectors.joining(",\n"));
        return """
                {
                  "Version": "2012-10-17",
                  "Statement": [
                %s
                  ]
                }""".formatted(statements);
    }

    private static String statement(Set<String> actions, List<String> arns) {
        return """
                    {
                      "Effect": "Allow",
                      "Action": [
                %s
                      ],
                      "Resource": [
                %s
                      ]
                    }""".formatted(
                lines(actions.stream().map(action -> "dynamodb:" + action).toList()), lines(arns));
    }

    private static String lines(List<String> texts) {
        return texts.stream().map(text -> "        \"" + text + "\"").collect(Collectors.joining(",\n"));
    }
}
