package dev.reservoir.dynamodb.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;

class LocalDynamoDbTest {

    @Test
    void eachHasItsOwnTables() {
        try (LocalDynamoDb one = LocalDynamoDb.start();
                LocalDynamoDb other = LocalDynamoDb.start();
                DynamoDbAsyncClient toOne = client(one.endpoint(), Region.EU_WEST_1);
                DynamoDbAsyncClient toOther = client(other.endpoint(), Region.EU_WEST_1)) {
            createTable(toOne, "permits");

            assertThat(tables(toOne)).containsExactly("permits");
            assertThat(tables(toOther)).isEmpty();
        }
    }

    @Test
    void allRegionsAndCredentialsSeeTheSameTables() {
        try (LocalDynamoDb local = LocalDynamoDb.start();
                DynamoDbAsyncClient one = client(local.endpoint(), Region.EU_WEST_1);
                DynamoDbAsyncClient other = client(local.endpoint(), Region.US_EAST_2)) {
            createTable(one, "permits");

            assertThat(tables(other)).containsExactly("permits");
        }
    }

    @Test
    void itListensOnTheLoopbackAddressAlone() throws IOException {
        try (LocalDynamoDb local = LocalDynamoDb.start()) {
            for (NetworkInterface network : Collections.list(NetworkInterface.getNetworkInterfaces())) {
                for (InetAddress address : Collections.list(network.getInetAddresses())) {
                    if (!address.isLoopbackAddress()) {
                        assertThatThrownBy(
                                        () -> connect(address, local.endpoint().getPort()))
                                .as("%s", address)
                                .isInstanceOf(IOException.class);
                    }
                }
            }
            connect(InetAddress.getLoopbackAddress(), local.endpoint().getPort());
        }
    }

    @Test
    void aPortThatIsTakenIsRefused() {
        try (LocalDynamoDb local = LocalDynamoDb.start()) {
            int port = local.endpoint().getPort();

            assertThatThrownBy(() -> LocalDynamoDb.start(port))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("port " + port);
        }
    }

    @Test
    void asAProgramItPrintsItsEndpointAndEndsWithItsInput() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        LocalDynamoDb.class.getName(),
                        "0")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            URI endpoint = URI.create(output.readLine());
            try (DynamoDbAsyncClient client = client(endpoint, Region.EU_WEST_1)) {
                createTable(client, "permits");
                assertThat(tables(client)).containsExactly("permits");
            }

            process.getOutputStream().close();

            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
            assertThat(output.readLine()).isNull();
        } finally {
            process.destroyForcibly();
        }
    }

    private static void connect(InetAddress address, int port) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address, port), 2_000);
        }
    }

    private static List<String> tables(DynamoDbAsyncClient client) {
        return client.listTables().join().tableNames();
    }

    private static void createTable(DynamoDbAsyncClient client, String name) {
        client.createTable(table -> table.tableName(name)
                        .billingMode(BillingMode.PAY_PER_REQUEST)
                        .keySchema(KeySchemaElement.builder()
                                .attributeName("pk")
                                .keyType(KeyType.HASH)
                                .build())
                        .attributeDefinitions(AttributeDefinition.builder()
                                .attributeName("pk")
                                .attributeType(ScalarAttributeType.S)
                                .build()))
                .join();
    }

    private static DynamoDbAsyncClient client(URI endpoint, Region region) {
        return DynamoDbAsyncClient.builder()
                .endpointOverride(endpoint)
                .region(region)
                .credentialsProvider(StaticCredentialsProvider.create(
                        AwsBasicCredentials.create(region.id().replace("-", ""), "none")))
                .build();
    }
}
