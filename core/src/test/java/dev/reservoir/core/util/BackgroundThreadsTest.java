package dev.reservoir.core.util;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.reservoir.core.util.WorkerThreads.Kind;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tasks that may hang: how many run at once, in which order, under which name, and what is rejected. */
class BackgroundThreadsTest {
    private final CountDownLatch end = new CountDownLatch(1);
    private final List<BackgroundThreads> made = new ArrayList<>();

    @AfterEach
    void close() {
        end.countDown();
        made.forEach(BackgroundThreads::close);
    }

    private BackgroundThreads threads(String name, int threadsMax, int waitingMax) {
        return keep(new BackgroundThreads(name, threadsMax, waitingMax, WorkerThreads.of(Kind.EVENTS, name, null)));
    }

    private BackgroundThreads keep(BackgroundThreads threads) {
        made.add(threads);
        return threads;
    }

    private void hang() {
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void tasksOfOneThreadRunInOrder() throws Exception {
        BackgroundThreads one = threads("one", 1, 1_000);
        List<Integer> ran = Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < 1_000; i++) {
            int number = i;
            one.execute(() -> ran.add(number));
        }
        one.close();
        assertThat(one.awaitEnd(TimeUnit.MINUTES.toNanos(1))).isTrue();
        assertThat(ran).isEqualTo(IntStream.range(0, 1_000).boxed().toList());
    }

    @Test
    void asManyRunAtOnceAsAllowedAndTheOthersWait() throws Exception {
        BackgroundThreads three = threads("three", 3, 10);
        AtomicInteger begun = new AtomicInteger();
        for (int i = 0; i < 5; i++) {
            three.execute(() -> {
                begun.incrementAndGet();
                hang();
            });
        }
        await().until(() -> begun.get() == 3);
        assertThat(three.awaitEnd(1_000_000)).isFalse();
        end.countDown();
        await().until(() -> begun.get() == 5);
    }

    @Test
    void aTaskIsRejectedIfTooManyWaitAndAfterTheEnd() {
        BackgroundThreads one = threads("few", 1, 2);
        CountDownLatch begun = new CountDownLatch(1);
        one.execute(() -> {
            begun.countDown();
            hang();
        });
        await().until(() -> begun.getCount() == 0);
        one.execute(() -> {});
        one.execute(() -> {});
        assertThatThrownBy(() -> one.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
        one.close();
        assertThatThrownBy(() -> one.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void aTaskIsRejectedIfThereIsNoThreadAndTakenOnceThereIs() throws Exception {
        boolean[] shortage = {true};
        BackgroundThreads own =
                keep(new BackgroundThreads("own", 2, 10, WorkerThreads.of(Kind.CALLBACK, "own", task -> {
                    if (shortage[0]) {
                        throw new OutOfMemoryError("unable to create native thread: made up by a test");
                    }
                    return new Thread(task);
                })));
        List<String> ran = Collections.synchronizedList(new ArrayList<>());
        assertThatThrownBy(() -> own.execute(() -> ran.add("lost"))).isInstanceOf(OutOfMemoryError.class);
        shortage[0] = false;
        CountDownLatch begun = new CountDownLatch(1);
        own.execute(() -> {
            begun.countDown();
            hang();
            ran.add("first");
        });
        begun.await();
        shortage[0] = true;
        own.execute(() -> ran.add("waits for the first"));
        end.countDown();
        own.close();
        assertThat(own.awaitEnd(TimeUnit.MINUTES.toNanos(1))).isTrue();
        assertThat(ran).containsExactly("first", "waits for the first");
    }

    @Test
    void aTaskThatThrowsStopsNoOther() throws Exception {
        BackgroundThreads own = keep(new BackgroundThreads("own", 1, 10, WorkerThreads.of(Kind.EVENTS, "own", task -> {
            Thread thread = new Thread(task);
            thread.setUncaughtExceptionHandler((t, e) -> {});
            return thread;
        })));
        own.execute(() -> {
            throw new IllegalStateException("made up by a test");
        });
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        own.execute(() -> Thread.currentThread().interrupt());
        own.execute(() -> interrupted.complete(Thread.currentThread().isInterrupted()));
        assertThat(interrupted.get(1, TimeUnit.MINUTES)).isFalse();
    }

    @Test
    void aSharedThreadHasTheNameAndTheClassLoaderOfThePoolThatItWorksFor() throws Exception {
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader ofPool = new URLClassLoader(new URL[0], before)) {
            Thread.currentThread().setContextClassLoader(ofPool);
            BackgroundThreads pool = threads("reservoir-orders-callback-", 1, 10);
            Thread.currentThread().setContextClassLoader(before);
            CompletableFuture<Thread> ranOn = new CompletableFuture<>();
            CompletableFuture<String> name = new CompletableFuture<>();
            CompletableFuture<@Nullable ClassLoader> loader = new CompletableFuture<>();
            pool.execute(() -> {
                name.complete(Thread.currentThread().getName());
                loader.complete(Thread.currentThread().getContextClassLoader());
                ranOn.complete(Thread.currentThread());
            });
            assertThat(name.get(1, TimeUnit.MINUTES)).matches("reservoir-orders-callback-\\d+");
            assertThat(loader.get(1, TimeUnit.MINUTES)).isSameAs(ofPool);
            Thread thread = ranOn.get(1, TimeUnit.MINUTES);
            assertThat(thread.isDaemon()).isTrue();
            await().until(() ->
                    thread.getName().matches("reservoir-events-\\d+") && thread.getContextClassLoader() != ofPool);
            pool.close();
            thread.join(TimeUnit.MINUTES.toMillis(1));
            assertThat(thread.isAlive()).as("after the last close").isFalse();
        }
    }

    @Test
    void ifAllThreadsOfTheProcessAreBlockedTasksOfOtherPoolsWait() throws Exception {
        CountDownLatch blocked = new CountDownLatch(Kind.EVENTS.threadsMax);
        for (int i = 0; i < Kind.EVENTS.threadsMax; i++) {
            threads("blocked-" + i, 1, 10).execute(() -> {
                blocked.countDown();
                hang();
            });
        }
        assertThat(blocked.await(1, TimeUnit.MINUTES)).isTrue();
        CompletableFuture<Void> ran = new CompletableFuture<>();
        threads("waits", 1, 10).execute(() -> ran.complete(null));
        assertThat(ran).isNotDone();
        end.countDown();
        assertThat(ran.get(1, TimeUnit.MINUTES)).isNull();
    }
}
