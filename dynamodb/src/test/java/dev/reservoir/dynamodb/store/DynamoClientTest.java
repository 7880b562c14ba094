package dev.reservoir.dynamodb.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class DynamoClientTest {

    @Test
    void allOfOneRegionAndEndpointShareOneClient() {
        try (DynamoClient one = DynamoClient.shared("eu-west-1", Local.endpoint());
                DynamoClient same = DynamoClient.shared("eu-west-1", Local.endpoint());
                DynamoClient elsewhere = DynamoClient.shared("eu-west-2", Local.endpoint());
                DynamoClient real = DynamoClient.shared("eu-west-1", null)) {
            assertThat(same.sdk()).isSameAs(one.sdk());
            assertThat(elsewhere.sdk()).isNotSameAs(one.sdk());
            assertThat(real.sdk()).isNotSameAs(one.sdk());
        }
    }

    @Test
    void oneThatIsStillHeldWorksOnAfterOthersClosed() {
        DynamoClient one = Local.client();
        try (DynamoClient other = Local.client()) {
            one.close();
            one.close();

            assertThat(other.sdk().listTables().join().hasTableNames()).isTrue();
        }
    }

    @Test
    void itsThreadsAreDaemonsAndEndWithIt() {
        try (FakeDynamo dynamo = new FakeDynamo()) {
            dynamo.answers(200, "{\"TableNames\":[]}");
            Set<Thread> before = threads();
            try (DynamoClient client = dynamo.client()) {
                client.calls().execute(() -> client.sdk().listTables().join());
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> dynamo.requests().size() == 1);
                Set<Thread> during = threads();
                during.removeAll(before);
                assertThat(during).isNotEmpty().allMatch(Thread::isDaemon);
            }
            await().atMost(Duration.ofSeconds(30)).until(() -> {
                Set<Thread> after = threads();
                after.removeAll(before);
                return after.isEmpty();
            });
        }
    }

    @Test
    void whereThereIsNoTlsTheCredentialsAreMadeUp() {
        try (FakeDynamo dynamo = new FakeDynamo()) {
            dynamo.answers(200, "{\"TableNames\":[]}");
            try (DynamoClient client =
                    DynamoClient.shared(null, URI.create(dynamo.endpoint().toString()))) {
                client.sdk().listTables().join();
            }
            assertThat(dynamo.requests().get(0).headers().get("authorization")).contains("Credential=local/");
        }
    }

    private static Set<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("reservoir-dynamodb"))
                .collect(Collectors.toSet());
    }
}
