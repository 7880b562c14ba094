package dev.reservoir.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.bench.cluster.CountingDatabase.Link;
import dev.reservoir.core.time.VirtualTime;
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
        List<CompletableFuture<Link>> first = connect("a", 12);
        time.advance(Duration.ofMillis(30).toNanos());
        assertThat(first)
                .filteredOn(CompletableFuture::isCompletedExceptionally)
                .hasSizeLessThan(3);
        assertThat(database.opened("a") + database.refused()).isEqualTo(12);
        time.advance(Duration.ofSeconds(1).toNanos());
        long refused = database.refused();
        connect("b", 10);
        time.advance(Duration.ofSeconds(1).toNanos());
        assertThat(database.opened("b")).isEqualTo(10);
        assertThat(database.refused()).isEqualTo(refused);
    }

    @Test
    void countsWhatIsOpenByClient() {
        List<CompletableFuture<Link>> links = connect("a", 3);
        connect("b", 2);
        time.advance(Duration.ofSeconds(1).toNanos());
        database.close(links.get(0).join());
        assertThat(database.open("a")).isEqualTo(2);
        assertThat(database.openMax()).isEqualTo(5);
        database.forget("a");
        assertThat(database.open("a")).isZero();
        assertThat(database.open("b")).isEqualTo(2);
        assertThat(database.opened()).isEqualTo(5);
    }

    private List<CompletableFuture<Link>> connect(String client, int count) {
        List<CompletableFuture<Link>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(database.connect(client).toCompletableFuture());
        }
        return all;
    }
}
