package dev.reservoir.core.internal.recording;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.NoConnectionException;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.Pooled;
import dev.reservoir.core.Reservoir;
import dev.reservoir.core.Settings;
import dev.reservoir.core.Targets;
import dev.reservoir.core.kit.InstantConnector;
import dev.reservoir.core.spi.Connector;
import dev.reservoir.core.time.VirtualTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a recording of Java's Flight Recorder shows of a reservoir. */
class FlightRecordingTest {
    /** No other test has a reservoir of this name. Some of theirs may still be about to end. */
    private static final String POOL = "recorded";

    private static final Duration LONG = Duration.ofMinutes(1);

    @TempDir
    Path folder;

    @Test
    void showsConnectsWaitsValidationsAndDiscards() throws Exception {
        FirstConnectFails connector = new FirstConnectFails();
        Settings settings = Settings.builder()
                .validationInterval(Duration.ofMillis(10))
                .scanInterval(Duration.ofMillis(10))
                .build();
        List<RecordedEvent> events = recorded(() -> {
            try (Reservoir<Object> reservoir = Reservoir.builder(connector)
                    .name(POOL)
                    .targets(Targets.of(1))
                    .settings(settings)
                    .build()) {
                assertThat(reservoir.awaitReady(1, LONG)).isTrue();
                assertThat(connector.validated.await(1, TimeUnit.MINUTES)).isTrue();
                Pooled<Object> only = reservoir.acquire(LONG);
                assertThatThrownBy(() -> reservoir.acquire(Duration.ofMillis(5)))
                        .isInstanceOf(NoConnectionException.class);
                reservoir.discard(only, DiscardReason.BAD);
            }
        });

        assertThat(of("reservoir.ConnectFailure", events)).singleElement().satisfies(event -> {
            assertThat(event.getString("reason")).isEqualTo(OpenFailureReason.CONNECT.label());
            assertThat(event.getInt("failuresInARow")).isEqualTo(1);
        });
        assertThat(of("reservoir.Connect", events))
                .isNotEmpty()
                .allSatisfy(event -> assertThat(event.getDuration("took")).isLessThan(LONG));
        assertThat(of("reservoir.CheckoutWait", events))
                .filteredOn(event -> !event.getBoolean("served"))
                .singleElement()
                .satisfies(event -> assertThat(event.getDuration("waited")).isBetween(Duration.ofMillis(5), LONG));
        assertThat(of("reservoir.Validation", events))
                .isNotEmpty()
                .allSatisfy(event -> assertThat(event.getBoolean("works")).isTrue());
        assertThat(of("reservoir.Discard", events))
                .filteredOn(event -> event.getString("reason").equals(DiscardReason.BAD.label()))
                .singleElement()
                .satisfies(event -> {
                    assertThat(event.getLong("uses")).isEqualTo(1);
                    assertThat(event.getDuration("remaining")).isPositive();
                });
        assertThat(events).allSatisfy(event -> {
            assertThat(event.getStackTrace()).isNull();
            assertThat(event.toString()).doesNotContain(FirstConnectFails.SECRET);
        });
    }

    @Test
    void recordsNothingOnVirtualTime() throws Exception {
        List<RecordedEvent> events = recorded(() -> {
            VirtualTime time = new VirtualTime();
            Reservoir<Object> reservoir = Reservoir.builder(new InstantConnector())
                    .name(POOL)
                    .time(time)
                    .callbacks(Runnable::run)
                    .build();
            time.settle();
            assertThat(reservoir.stats().opened()).isPositive();
        });

        assertThat(events).isEmpty();
    }

    /** The first connect fails with a secret in its message. The others work. */
    private static final class FirstConnectFails implements Connector<Object> {
        private static final String SECRET = "hunter2";

        private final InstantConnector instant = new InstantConnector();
        private final AtomicBoolean failed = new AtomicBoolean();
        private final CountDownLatch validated = new CountDownLatch(1);

        @Override
        public CompletionStage<Object> open(long timeoutNanos) {
            return failed.compareAndSet(false, true)
                    ? CompletableFuture.failedFuture(new IllegalStateException("refused, password " + SECRET))
                    : instant.open(timeoutNanos);
        }

        @Override
        public CompletionStage<Boolean> validate(Object connection, long timeoutNanos) {
            validated.countDown();
            return instant.validate(connection, timeoutNanos);
        }

        @Override
        public CompletionStage<Void> close(Object connection, DiscardReason reason) {
            return instant.close(connection, reason);
        }
    }

    private static List<RecordedEvent> of(String name, List<RecordedEvent> events) {
        return events.stream()
                .filter(event -> event.getEventType().getName().equals(name))
                .toList();
    }

    private interface Action {
        void run() throws Exception;
    }

    private List<RecordedEvent> recorded(Action action) throws Exception {
        Path file = folder.resolve("test.jfr");
        try (Recording recording = new Recording()) {
            recording.start();
            action.run();
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().startsWith("reservoir."))
                .filter(event -> POOL.equals(event.getString("pool")))
                .toList();
    }
}
