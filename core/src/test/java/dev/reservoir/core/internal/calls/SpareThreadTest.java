package dev.reservoir.core.internal.calls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The thread that stands by: one for all holders, there from the start, gone with the last. */
class SpareThreadTest {
    private static Thread threadOf(SpareThread spare) throws Exception {
        CompletableFuture<Thread> ran = new CompletableFuture<>();
        spare.execute(() -> ran.complete(Thread.currentThread()));
        return ran.get(1, TimeUnit.MINUTES);
    }

    @Test
    void allHoldersShareOneThreadThatEndsWithTheLastOfThem() throws Exception {
        SpareThread first = new SpareThread();
        SpareThread second = new SpareThread();
        Thread thread = threadOf(first);
        assertThat(thread.isDaemon()).isTrue();
        assertThat(threadOf(second)).isSameAs(thread);
        first.close();
        first.close();
        assertThat(threadOf(second)).isSameAs(thread);
        second.close();
        await().atMost(Duration.ofMinutes(1)).until(() -> !thread.isAlive());
    }

    @Test
    void aTaskThatThrowsDoesNotEndIt() throws Exception {
        try (SpareThread spare = new SpareThread()) {
            Thread thread = threadOf(spare);
            thread.setUncaughtExceptionHandler((t, e) -> {});
            spare.execute(() -> {
                throw new AssertionError("scripted");
            });
            assertThat(threadOf(spare)).isSameAs(thread);
        }
    }

    @Test
    void afterItsEndATaskIsStillRunOnAThreadOfItsOwn() throws Exception {
        SpareThread spare = new SpareThread();
        spare.close();
        assertThat(threadOf(spare)).isNotSameAs(Thread.currentThread());
    }
}
