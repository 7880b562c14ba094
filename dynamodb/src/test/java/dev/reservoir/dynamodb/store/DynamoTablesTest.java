package dev.reservoir.dynamodb.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.cluster.store.StoreException.Kind;
import dev.reservoir.dynamodb.store.DynamoTables.Finding;
import dev.reservoir.dynamodb.store.DynamoTables.Level;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ReplicaDescription;
import software.amazon.awssdk.services.dynamodb.model.ReplicaStatus;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.dynamodb.model.TableDescription;
import software.amazon.awssdk.services.dynamodb.model.TableStatus;
import software.amazon.awssdk.services.dynamodb.model.TimeToLiveStatus;

class DynamoTablesTest {
    private final DynamoClient client = Local.client();
    private final DynamoTables tables = new DynamoTables(client);

    @AfterEach
    void close() {
        client.close();
    }

    @Test
    void aTableIsCreatedOnDemandAndDeletesOldItems() {
        List<String> done = tables.create("made-here");

        TableDescription table =
                client.sdk().describeTable(t -> t.tableName("made-here")).join().table();
        assertThat(done)
                .containsExactly(
                        "created table made-here", "turned on deletion of old items by ttl_epoch in table made-here");
        assertThat(table.billingModeSummary().billingMode()).isEqualTo(BillingMode.PAY_PER_REQUEST);
        assertThat(table.keySchema()).containsExactly(key("pk", KeyType.HASH));
        assertThat(client.sdk()
                        .describeTimeToLive(t -> t.tableName("made-here"))
                        .join()
                        .timeToLiveDescription()
                        .timeToLiveStatus())
                .isEqualTo(TimeToLiveStatus.ENABLED);
        assertThat(tables.check("made-here")).isEmpty();
    }

    private static TableDescription.Builder described() {
        return TableDescription.builder()
                .tableName("books")
                .tableStatus(TableStatus.ACTIVE)
                .billingModeSummary(billing -> billing.billingMode(BillingMode.PAY_PER_REQUEST))
                .keySchema(key("pk", KeyType.HASH))
                .attributeDefinitions(AttributeDefinition.builder()
                        .attributeName("pk")
                        .attributeType(ScalarAttributeType.S)
                        .build());
    }

    private static ReplicaDescription replica(String region, ReplicaStatus status) {
        return ReplicaDescription.builder()
                .regionName(region)
                .replicaStatus(status)
                .build();
    }

    @Test
    void aTableOfOneRegionIsAsItShouldBe() {
        assertThat(DynamoTables.judge(described().build(), true)).isEmpty();
        assertThat(DynamoTables.judge(described().replicas(List.of()).build(), true))
                .isEmpty();
        assertThat(DynamoTables.judge(
                        described().globalTableVersion("2019.11.21").build(), true))
                .as("all its replicas were removed")
                .isEmpty();
    }

    @Test
    void aGlobalTableIsAProblemBecauseEachRegionWouldCountForItself() {
        TableDescription replicated = described()
                .globalTableVersion("2019.11.21")
                .replicas(List.of(
                        replica("us-west-2", ReplicaStatus.ACTIVE), replica("eu-west-1", ReplicaStatus.CREATING)))
                .build();
        assertThat(DynamoTables.judge(replicated, true)).singleElement().satisfies(finding -> {
            assertThat(finding.level()).isEqualTo(Level.PROBLEM);
            assertThat(finding.text())
                    .startsWith("table books is a global table (replicas in eu-west-1, us-west-2);")
                    .endsWith("use a table of one region for all processes of the cluster");
        });
    }

    @Test
    void soIsOneOfTheFirstVersionWhichNamesNoReplicas() {
        TableDescription replicated =
                described().globalTableVersion("2017.11.29").build();
        assertThat(DynamoTables.judge(replicated, true)).singleElement().satisfies(finding -> {
            assertThat(finding.level()).isEqualTo(Level.PROBLEM);
            assertThat(finding.text()).startsWith("table books is a global table (version 2017.11.29);");
        });
    }

    @Test
    void creatingTwiceDoesNothingMore() {
        tables.create("made-twice");

        assertThat(tables.create("made-twice")).isEmpty();
    }

    @Test
    void whatIsMissingOnATableIsAdded() {
        create("half-made", ScalarAttributeType.S, false);
        assertThat(tables.check("half-made")).singleElement().satisfies(finding -> {
            assertThat(finding.level()).isEqualTo(Level.ADVICE);
            assertThat(finding.text()).contains("does not delete old items", "ttl_epoch");
        });

        assertThat(tables.create("half-made"))
                .containsExactly("turned on deletion of old items by ttl_epoch in table half-made");
        assertThat(tables.check("half-made")).isEmpty();
    }

    @Test
    void aTableWithAnotherKeyIsNotTaken() {
        create("other-key", ScalarAttributeType.N, false);

        assertThatThrownBy(() -> tables.create("other-key"))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.REFUSED))
                .hasMessageContaining("pk (HASH, N)")
                .hasMessageContaining("pk (HASH, S)");
        assertThat(tables.check("other-key"))
                .extracting(Finding::level)
                .containsExactlyInAnyOrder(Level.PROBLEM, Level.ADVICE);
    }

    @Test
    void aTableThatIsNotThereIsAFinding() {
        assertThat(tables.check("not-there")).singleElement().satisfies(finding -> {
            assertThat(finding.level()).isEqualTo(Level.PROBLEM);
            assertThat(finding.text()).contains("not-there", "reservoir tables create not-there");
        });
    }

    @Test
    void provisionedCapacityIsAdvisedAgainst() {
        client.sdk()
                .createTable(request("provisioned", ScalarAttributeType.S, false)
                        .billingMode(BillingMode.PROVISIONED)
                        .provisionedThroughput(p -> p.readCapacityUnits(5L).writeCapacityUnits(5L))
                        .build())
                .join();

        assertThat(tables.check("provisioned")).anySatisfy(finding -> {
            assertThat(finding.level()).isEqualTo(Level.ADVICE);
            assertThat(finding.text()).contains("on-demand");
        });
    }

    @Test
    void ourTableIsDeleted() {
        tables.create("to-delete");

        assertThat(tables.delete("to-delete")).isTrue();
        assertThat(tables.delete("to-delete")).isFalse();
    }

    @Test
    void aTableOfOthersIsNotDeleted() {
        create("precious", ScalarAttributeType.S, true);

        assertThatThrownBy(() -> tables.delete("precious"))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.REFUSED))
                .hasMessageContaining("not deleted")
                .hasMessageContaining("pk (HASH, S), sk (RANGE, S)");
        assertThat(client.sdk().listTables().join().tableNames()).contains("precious");
    }

    @Test
    void aNameThatIsNoneIsRefused() {
        assertThatThrownBy(() -> tables.create("a b"))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.REFUSED));
    }

    @Test
    void aTableThatIsNeverReadyIsGivenUp() {
        try (FakeDynamo dynamo = new FakeDynamo();
                DynamoClient other = dynamo.client()) {
            dynamo.answers(200, "{\"Table\":{\"TableName\":\"slow\",\"TableStatus\":\"CREATING\"}}");

            assertThatThrownBy(() -> new DynamoTables(other, Duration.ofMillis(10)).create("slow"))
                    .isInstanceOfSatisfying(
                            StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.UNAVAILABLE))
                    .hasMessageContaining("slow");
        }
    }

    private void create(String name, ScalarAttributeType type, boolean sorted) {
        client.sdk()
                .createTable(request(name, type, sorted)
                        .billingMode(BillingMode.PAY_PER_REQUEST)
                        .build())
                .join();
    }

    private static CreateTableRequest.Builder request(String name, ScalarAttributeType type, boolean sorted) {
        AttributeDefinition pk = AttributeDefinition.builder()
                .attributeName("pk")
                .attributeType(type)
                .build();
        AttributeDefinition sk = AttributeDefinition.builder()
                .attributeName("sk")
                .attributeType(ScalarAttributeType.S)
                .build();
        return CreateTableRequest.builder()
                .tableName(name)
                .keySchema(
                        sorted
                                ? List.of(key("pk", KeyType.HASH), key("sk", KeyType.RANGE))
                                : List.of(key("pk", KeyType.HASH)))
                .attributeDefinitions(sorted ? List.of(pk, sk) : List.of(pk));
    }

    private static KeySchemaElement key(String name, KeyType type) {
        return KeySchemaElement.builder().attributeName(name).keyType(type).build();
    }
}
