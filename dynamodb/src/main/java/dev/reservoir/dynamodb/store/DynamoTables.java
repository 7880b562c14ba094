package dev.reservoir.dynamodb.store;

import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.cluster.store.StoreException.Kind;
import dev.reservoir.core.util.Text;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.DescribeTableResponse;
import software.amazon.awssdk.services.dynamodb.model.DescribeTimeToLiveResponse;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ReplicaDescription;
import software.amazon.awssdk.services.dynamodb.model.ResourceInUseException;
import software.amazon.awssdk.services.dynamodb.model.ResourceNotFoundException;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.dynamodb.model.TableDescription;
import software.amazon.awssdk.services.dynamodb.model.TableStatus;
import software.amazon.awssdk.services.dynamodb.model.TimeToLiveDescription;
import software.amazon.awssdk.services.dynamodb.model.TimeToLiveStatus;

/**
 * Creates, checks and deletes the tables of a cluster budget, for operators. Never changes the key or the billing of an
 * existing table, and never deletes a table with another key. Every method blocks, and fails with a
 * {@link StoreException} that says why.
 */
public final class DynamoTables {
    /** The names that DynamoDB allows for a table. */
    public static final String NAME_PATTERN = "[A-Za-z0-9_.-]{3,255}";

    /** The same in words, for messages. */
    public static final String NAME_ALLOWED = "3 to 255 letters, digits and _ . -";

    /** The attribute by which DynamoDB deletes old items. */
    static final String TTL = Store.TTL;

    private static final String FIRST_GLOBAL_VERSION = "2017.11.29";
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Duration PAUSE = Duration.ofMillis(500);
    private static final String OUR_KEY = DynamoValues.KEY + " (HASH, S)";

    private final DynamoClient client;
    private final Duration patience;

    /** The tables of this DynamoDB. The caller closes the client. */
    public DynamoTables(DynamoClient client) {
        this(client, PATIENCE);
    }

    DynamoTables(DynamoClient client, Duration patience) {
        this.client = client;
        this.patience = patience;
    }

    /** How serious a finding is. */
    public enum Level {
        /** The budget does not work with this table. */
        PROBLEM,
        /** The budget works, but something else is recommended. */
        ADVICE
    }

    /** Something about a table that is not as it should be, and what to do about it. */
    public record Finding(Level level, String text) {}

    /**
     * Creates the table if it does not exist, with on-demand billing and time to live. Turns time to live on if it is
     * off. A second call changes nothing. Blocks until the table can be used, for at most 3 minutes.
     *
     * @return what was done, in words; empty if nothing had to be done
     */
    public List<String> create(String table) {
        List<String> done = new ArrayList<>();
        if (describe(table) == null) {
            done.add(
                    make(table)
                            ? "created table " + table
                            : "waited for table " + table + ", which another caller creates");
        }
        TableDescription there =
                await(table, "is not usable", found -> found != null && found.tableStatus() == TableStatus.ACTIVE);
        if (there == null || !isOurs(there)) {
            throw refusal(
                    table, "exists with another key: " + key(there) + "; needed: " + OUR_KEY + "; use another name");
        }
        String replicas = replicas(there);
        if (replicas != null) {
            throw refusal(table, "exists and is a global table (" + replicas + "); use another name");
        }
        if (!deletesOld(table)) {
            call(
                    table,
                    "UpdateTimeToLive",
                    sdk -> sdk.updateTimeToLive(request -> request.tableName(table)
                            .timeToLiveSpecification(
                                    ttl -> ttl.attributeName(TTL).enabled(true))));
            done.add("turned on deletion of old items by " + TTL + " in table " + table);
        }
        return List.copyOf(done);
    }

    /** Starts to create the table. Returns false if the table already exists or another caller is creating it. */
    private boolean make(String table) {
        return unless(
                        ResourceInUseException.class,
                        table,
                        "CreateTable",
                        sdk -> sdk.createTable(request -> request.tableName(table)
                                .billingMode(BillingMode.PAY_PER_REQUEST)
                                .keySchema(KeySchemaElement.builder()
                                        .attributeName(DynamoValues.KEY)
                                        .keyType(KeyType.HASH)
                                        .build())
                                .attributeDefinitions(AttributeDefinition.builder()
                                        .attributeName(DynamoValues.KEY)
                                        .attributeType(ScalarAttributeType.S)
                                        .build())))
                != null;
    }

    /** Checks whether the table is as it should be. Changes nothing. Blocks. */
    public List<Finding> check(String table) {
        TableDescription found = describe(table);
        if (found == null) {
            return List.of(problem("table " + table + " does not exist in " + client.where()
                    + "; create it with: reservoir tables create " + table));
        }
        return judge(found, deletesOld(table));
    }

    /**
     * Returns the findings about an existing table.
     *
     * @param deletesOld whether time to live is on for {@link #TTL}
     */
    static List<Finding> judge(TableDescription found, boolean deletesOld) {
        String table = found.tableName();
        List<Finding> findings = new ArrayList<>();
        if (!isOurs(found)) {
            findings.add(problem(
                    "table " + table + " has the key " + key(found) + "; needed: " + OUR_KEY + "; use another table"));
        }
        if (found.tableStatus() != TableStatus.ACTIVE) {
            findings.add(
                    problem("table " + table + " is " + found.tableStatusAsString() + "; wait until it is ACTIVE"));
        }
        String replicas = replicas(found);
        if (replicas != null) {
            findings.add(problem("table " + table + " is a global table (" + replicas
                    + "); a budget needs transactions and conditions that hold for all who write, and replicas have them"
                    + " in one region only, so each region would count for itself; use a table of one region for all"
                    + " processes of the cluster"));
        }
        if (!isOnDemand(found)) {
            findings.add(
                    advice(
                            "table " + table
                                    + " has provisioned capacity, which throttles when many processes start; on-demand billing is better"));
        }
        if (!deletesOld) {
            findings.add(advice("table " + table + " does not delete old items; turn on time to live for " + TTL
                    + " with: reservoir tables create " + table));
        }
        return List.copyOf(findings);
    }

    /**
     * Deletes the table with everything in it, unless its key shows that it is not a table of a budget. Blocks until it
     * is gone, for at most 3 minutes.
     *
     * @return whether the table existed
     */
    public boolean delete(String table) {
        TableDescription found = describe(table);
        if (found == null) {
            return false;
        }
        if (!isOurs(found)) {
            throw refusal(table, "is not deleted: its key is " + key(found) + " and ours is " + OUR_KEY);
        }
        call(table, "DeleteTable", sdk -> sdk.deleteTable(request -> request.tableName(table)));
        await(table, "exists", left -> left == null);
        return true;
    }

    private @Nullable TableDescription await(
            String table, String state, Predicate<@Nullable TableDescription> condition) {
        long deadline = System.nanoTime() + patience.toNanos();
        TableDescription found = describe(table);
        while (!condition.test(found)) {
            if (System.nanoTime() - deadline > 0) {
                throw new StoreException(
                        Kind.UNAVAILABLE,
                        "DynamoDB table " + table + " (" + client.where() + ") still " + state + " after "
                                + Text.nanos(patience.toNanos()));
            }
            pause(table);
            found = describe(table);
        }
        return found;
    }

    private void pause(String table) {
        try {
            Thread.sleep(PAUSE.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException(
                    Kind.UNAVAILABLE, "DynamoDB table " + table + ": interrupted while waiting for it", -1, e);
        }
    }

    private @Nullable TableDescription describe(String table) {
        DescribeTableResponse response = unless(
                ResourceNotFoundException.class,
                table,
                "DescribeTable",
                sdk -> sdk.describeTable(request -> request.tableName(table)));
        return response == null ? null : response.table();
    }

    private boolean deletesOld(String table) {
        DescribeTimeToLiveResponse response = unless(
                ResourceNotFoundException.class,
                table,
                "DescribeTimeToLive",
                sdk -> sdk.describeTimeToLive(request -> request.tableName(table)));
        TimeToLiveDescription ttl = response == null ? null : response.timeToLiveDescription();
        if (ttl == null || !TTL.equals(ttl.attributeName())) {
            return false;
        }
        TimeToLiveStatus status = ttl.timeToLiveStatus();
        return status == TimeToLiveStatus.ENABLED || status == TimeToLiveStatus.ENABLING;
    }

    private static boolean isOnDemand(TableDescription table) {
        return table.billingModeSummary() != null
                && table.billingModeSummary().billingMode() == BillingMode.PAY_PER_REQUEST;
    }

    /** Describes the replicas of the table, or returns null. The first version of global tables does not name them. */
    private static @Nullable String replicas(@Nullable TableDescription table) {
        if (table == null) {
            return null;
        }
        if (table.hasReplicas() && !table.replicas().isEmpty()) {
            return "replicas in "
                    + table.replicas().stream()
                            .map(ReplicaDescription::regionName)
                            .sorted()
                            .collect(Collectors.joining(", "));
        }
        return FIRST_GLOBAL_VERSION.equals(table.globalTableVersion()) ? "version " + FIRST_GLOBAL_VERSION : null;
    }

    private static boolean isOurs(TableDescription table) {
        return OUR_KEY.equals(key(table));
    }

    private static String key(@Nullable TableDescription table) {
        if (table == null) {
            return "none";
        }
        return table.keySchema().stream()
                .map(part -> part.attributeName() + " (" + part.keyTypeAsString() + ", " + type(table, part) + ")")
                .collect(Collectors.joining(", "));
    }

    private static String type(TableDescription table, KeySchemaElement part) {
        return table.attributeDefinitions().stream()
                .filter(attribute -> attribute.attributeName().equals(part.attributeName()))
                .map(AttributeDefinition::attributeTypeAsString)
                .findFirst()
                .orElse("?");
    }

    private <R> void call(String table, String action, Function<DynamoDbAsyncClient, CompletableFuture<R>> begin) {
        unless(null, table, action, begin);
    }

    /** Returns the answer, or null if the call fails with the expected error. */
    private <R> @Nullable R unless(
            @Nullable Class<? extends AwsServiceException> expected,
            String table,
            String action,
            Function<DynamoDbAsyncClient, CompletableFuture<R>> begin) {
        try {
            return begin.apply(client.sdk()).join();
        } catch (CompletionException | SdkException e) {
            if (expected != null && expected.isInstance(DynamoErrors.unwrapped(e))) {
                return null;
            }
            throw new DynamoErrors(table, client.where()).of(action, e);
        }
    }

    private StoreException refusal(String table, String why) {
        return new StoreException(Kind.REFUSED, "DynamoDB table " + table + " (" + client.where() + ") " + why);
    }

    private static Finding problem(String text) {
        return new Finding(Level.PROBLEM, text);
    }

    private static Finding advice(String text) {
        return new Finding(Level.ADVICE, text);
    }
}
