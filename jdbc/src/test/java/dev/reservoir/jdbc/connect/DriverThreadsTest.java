package dev.reservoir.jdbc.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.reservoir.core.util.WorkerThreads;
import dev.reservoir.core.util.WorkerThreads.Kind;
import dev.reservoir.jdbc.LiveThreads;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Threads for calls that may hang, and interrupts that reach only the call they are meant for. */
class DriverThreadsTest {
    private final WorkerThreads threads = WorkerThreads.of(Kind.WORKER, "reservoir-workers", Thread::new);
    private final DriverThreads workers = new DriverThreads("reservoir-workers-", 1, threads);

    @AfterEach
    void noThreadIsLeft() {
        workers.end();
        threads.close();
        await().untilAsserted(() -> assertThat(LiveThreads.of("workers")).isEmpty());
    }

    @Test
    void anInterruptBeforeTheTaskBeginsHitsItWhenItBegins() {
        CompletableFuture<Boolean> hit = new CompletableFuture<>();
        DriverThreads.Job job =
                new DriverThreads.Job(() -> hit.complete(Thread.currentThread().isInterrupted()), over -> {});

        job.interrupt();
        job.run();

        assertThat(hit).isCompletedWithValue(true);
        assertThat(Thread.currentThread().isInterrupted())
                .as("the thread after the task")
                .isFalse();
    }

    @Test
    void anInterruptAfterTheTaskHasEndedHitsNobody() {
        DriverThreads.Job job = new DriverThreads.Job(() -> {}, over -> {});

        job.run();
        job.interrupt();

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void anInterruptOfATaskAtWorkDoesNotHitTheNextOnTheSameThread() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Void> first = new CompletableFuture<>();
        DriverThreads.Job job = workers.start(() -> {
            begun.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                // Behaves as a driver that notices the interrupt and leaves the thread interrupted.
                Thread.currentThread().interrupt();
                first.complete(null);
            }
        });
        begun.await();
        job.interrupt();
        first.get(60, TimeUnit.SECONDS);

        CompletableFuture<Boolean> hit = new CompletableFuture<>();
        await("the one thread to be free")
                .until(() ->
                        workers.start(() -> hit.complete(Thread.currentThread().isInterrupted())) != null);

        assertThat(hit.get(60, TimeUnit.SECONDS)).isFalse();
    }

    @Test
    void aTaskIsRefusedIfAllThreadsAreTakenAndAfterTheEnd() {
        CountDownLatch done = new CountDownLatch(1);
        assertThat(workers.start(() -> awaitUninterruptibly(done))).isNotNull();

        assertThat(workers.start(() -> {})).isNull();
        done.countDown();
        await().until(() -> workers.start(() -> {}) != null);
        workers.end();
        assertThat(workers.isEnded()).isTrue();
        assertThat(workers.start(() -> {})).isNull();
    }

    @Test
    void aTaskIsRefusedIfTheFactoryFailsAndTakenOnceItDoesNot() {
        AtomicReference<Error> error = new AtomicReference<>(new OutOfMemoryError("unable to create native thread"));
        AtomicReference<RuntimeException> exception = new AtomicReference<>(new IllegalStateException("not now"));
        WorkerThreads made = WorkerThreads.of(Kind.WORKER, "reservoir-workers", task -> {
            if (exception.get() != null) {
                throw exception.getAndSet(null);
            }
            if (error.get() != null) {
                throw error.getAndSet(null);
            }
            return new Thread(task);
        });
        DriverThreads choosy = new DriverThreads("reservoir-workers-", 1, made);
        try {
            assertThat(choosy.start(() -> {})).isNull();
            assertThat(choosy.start(() -> {})).isNull();
            assertThat(choosy.start(() -> {})).isNotNull();
        } finally {
            choosy.end();
            made.close();
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
