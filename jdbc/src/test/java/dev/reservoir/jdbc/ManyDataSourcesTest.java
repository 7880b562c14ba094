package dev.reservoir.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Data sources of one process share their threads, do not delay each other, and leave no thread behind. */
@Timeout(180)
class ManyDataSourcesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final CountDownLatch hang = new CountDownLatch(1);
    private final List<ReservoirDataSource> made = new ArrayList<>();

    @AfterEach
    void noThreadIsLeft() {
        hang.countDown();
        made.forEach(ReservoirDataSource::close);
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(LiveThreads.all()).isEmpty());
    }

    private ReservoirDataSource dataSource(String name, FakeDatabase database) {
        ReservoirDataSource dataSource = ReservoirDataSource.builder()
                .name(name)
                .dataSource(database)
                .maxOpen(4)
                .acquireTimeout(PATIENCE)
                .drainTimeout(Duration.ZERO)
                .initialFillTimeout(Duration.ZERO)
                .build();
        made.add(dataSource);
        return dataSource;
    }

    @Test
    void aDataSourceCostsNoThread() throws Exception {
        FakeDatabase database = new FakeDatabase();
        for (int i = 0; i < 200; i++) {
            try (Connection connection = dataSource("many-" + i, database).getConnection()) {
                assertThat(connection.isClosed()).isFalse();
            }
        }
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(LiveThreads.all())
                        .hasSizeLessThan(40)
                        .anyMatch(name -> name.startsWith("reservoir-loop-")));
    }

    @Test
    void connectsThatHangDelayNoOtherDataSource() throws Exception {
        FakeDatabase silent = new FakeDatabase();
        silent.hang = hang;
        for (int i = 0; i < 20; i++) {
            dataSource("silent-" + i, silent);
        }
        await().atMost(PATIENCE).until(() -> silent.logins.size() >= 80);
        assertThat(LiveThreads.of("silent-7")).anyMatch(name -> name.startsWith("reservoir-silent-7-connect-"));

        try (Connection connection = dataSource("healthy", new FakeDatabase()).getConnection()) {
            assertThat(connection.isClosed()).isFalse();
        }
    }
}
