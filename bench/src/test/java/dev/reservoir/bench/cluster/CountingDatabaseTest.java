package dev.reservoir.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.time.VirtualTime;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class CountingDatabaseTest {
    private final VirtualTime time = new VirtualTime();
    private final CountingDatabase database = new CountingDatabase(time, 100, 10);

    @Test
    void admitsTheBurstAndThenTheRateAndRefusesTheRest() {
        List<CompletableFuture<Connection>> first = connect("a", 12);
        time.advance(Duration.ofMillis(30).toNanos());
        assertThat(first)
                .filteredOn(CompletableFuture::isCompletedExceptionally)
                .hasSizeLessThan(3);
        assertThat(database.rationed.opened("a") + database.rationed.counts().refused())
                .isEqualTo(12);
        time.advance(Duration.ofSeconds(1).toNanos());
        long refused = database.rationed.counts().refused();
        connect("b", 10);
        time.advance(Duration.ofSeconds(1).toNanos());
        assertThat(database.rationed.opened("b")).isEqualTo(10);
        assertThat(database.rationed.counts().refused()).isEqualTo(refused);
    }

    @Test
    void countsWhatIsOpenByClient() {
        List<CompletableFuture<Connection>> connections = connect("a", 3);
        connect("b", 2);
        time.advance(Duration.ofSeconds(1).toNanos());
        database.close(connections.get(0).join());
        assertThat(database.rationed.open("a")).isEqualTo(2);
        assertThat(database.rationed.counts().openMax()).isEqualTo(5);
        database.rationed.disconnect("a");
        assertThat(database.rationed.open("a")).isZero();
        assertThat(database.rationed.open("b")).isEqualTo(2);
        assertThat(database.rationed.counts().opened()).isEqualTo(5);
    }

    private List<CompletableFuture<Connection>> connect(String client, int count) {
        List<CompletableFuture<Connection>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(database.connect(client).toCompletableFuture());
        }
        return all;
    }
}
