package dev.reservoir.remote.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.spi.Leases;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** An engine that closes gives back the place of a connect that hangs. The place stays taken until the connect ends. */
class HangingConnectTest {
    private final ServerLeases leases = new ServerLeases("pg", 1, 0, () -> {});
    private final ServerLeases.Share old = leases.join("ann", 0);
    private final ServerLeases.Share other = leases.join("bob", 0);

    @Test
    void aPlaceIsNotFreeBeforeTheConnectOfAClosedPoolHasEnded() {
        Leases.Lease lease = old.acquire().toCompletableFuture().join();
        old.connectBegan();
        CompletableFuture<Leases.Lease> waiting = other.acquire().toCompletableFuture();

        old.release(lease);
        old.detach(wanted -> 0);
        assertThat(old.hasLeft()).isTrue();
        assertThat(leases.held()).isEqualTo(1);
        assertThat(waiting).isNotDone();

        old.connectEnded();
        assertThat(waiting).isCompleted();
        assertThat(leases.held()).isEqualTo(1);
    }

    @Test
    void aPlaceIsFreeAtOnceIfItsConnectHasEnded() {
        Leases.Lease lease = old.acquire().toCompletableFuture().join();
        old.connectBegan();
        old.connectEnded();
        old.release(lease);
        assertThat(leases.held()).isZero();
    }
}
