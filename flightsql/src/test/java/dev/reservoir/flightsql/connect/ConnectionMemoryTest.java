package dev.reservoir.flightsql.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.netty.NettyChannelBuilder;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.Test;

/** A connection ends although its Arrow memory is freed late, or never. */
class ConnectionMemoryTest {
    private final AtomicInteger freed = new AtomicInteger();

    private FlightConnection connection(RootAllocator root) {
        return new FlightConnection(
                root,
                filter -> NettyChannelBuilder.forAddress("127.0.0.1", 1)
                        .usePlaintext()
                        .addTransportFilter(filter)
                        .build(),
                freed::incrementAndGet);
    }

    @Test
    void memoryThatIsFreedAMomentLaterIsWaitedFor() throws Exception {
        try (RootAllocator root = new RootAllocator()) {
            FlightConnection connection = connection(root);
            ArrowBuf late = connection.memory().buffer(2);
            Thread freer = new Thread(() -> {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
                late.close();
            });
            freer.start();

            connection.close();
            freer.join();
            assertThat(freed).hasValue(1);
            assertThat(root.getAllocatedMemory()).isZero();
        }
    }

    @Test
    void anInterruptedThreadGivesTheMemoryBackToo() {
        try (RootAllocator root = new RootAllocator()) {
            FlightConnection connection = connection(root);
            Thread.currentThread().interrupt();
            connection.close();

            assertThat(Thread.interrupted()).isTrue();
            assertThat(freed).hasValue(1);
            assertThat(root.getChildAllocators()).isEmpty();
        }
    }

    @Test
    void memoryThatIsNeverFreedDoesNotKeepTheConnectionOpen() {
        RootAllocator root = new RootAllocator();
        FlightConnection connection = connection(root);
        ArrowBuf lost = connection.memory().buffer(2);

        connection.close();
        assertThat(freed).hasValue(1);
        assertThat(root.getAllocatedMemory()).isEqualTo(lost.capacity());
    }
}
