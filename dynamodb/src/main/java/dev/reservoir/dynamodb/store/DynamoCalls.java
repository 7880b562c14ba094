package dev.reservoir.dynamodb.store;

import dev.reservoir.cluster.store.StoreException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.AwsResponse;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/**
 * Sends calls to DynamoDB for one table, limits their time, and counts them. Calls start on a thread of the client,
 * because fetching credentials blocks. Answers are delivered on the caller's executor, never on an I/O thread. Never
 * sends a call twice, with one exception: a call that was refused because this machine's clock is far off. The SDK has
 * then learned the right time from the refusal.
 */
final class DynamoCalls {
    private final DynamoClient client;
    private final DynamoErrors errors;
    private final Executor answers;
    private final CallMeter meter = new CallMeter();

    DynamoCalls(DynamoClient client, String table, Executor answers) {
        this.client = client;
        this.errors = new DynamoErrors(table, client.where());
        this.answers = task -> {
            try {
                answers.execute(task);
            } catch (RejectedExecutionException closed) {
                task.run();
            }
        };
    }

    /** The executor that delivers answers. It accepts every task. */
    Executor answers() {
        return answers;
    }

    CallMeter meter() {
        return meter;
    }

    <R extends AwsResponse, T> CompletableFuture<T> send(
            String action, Function<DynamoDbAsyncClient, CompletableFuture<R>> begin, Function<R, T> good) {
        return send(action, begin, good, error -> null);
    }

    /**
     * Sends one call. Does not block.
     *
     * @param action the name of the call
     * @param good turns the answer into a result; must not block
     * @param bad turns an error into a result if the error is really an answer, or returns null; must not block
     */
    <R extends AwsResponse, T> CompletableFuture<T> send(
            String action,
            Function<DynamoDbAsyncClient, CompletableFuture<R>> begin,
            Function<R, T> good,
            Function<AwsServiceException, @Nullable T> bad) {
        CompletableFuture<T> result = new CompletableFuture<>();
        begin(begin).whenComplete((answer, error) -> {
            if (error != null && DynamoErrors.isForTheClock(error)) {
                begin(begin).whenComplete((second, again) -> settle(result, action, second, again, good, bad));
            } else {
                settle(result, action, answer, error, good, bad);
            }
        });
        return result;
    }

    /** Returns a stage that fails without a call. */
    <T> CompletableFuture<T> failed(StoreException error) {
        CompletableFuture<T> result = new CompletableFuture<>();
        answers.execute(() -> result.completeExceptionally(error));
        return result;
    }

    private <R> CompletionStage<R> begin(Function<DynamoDbAsyncClient, CompletableFuture<R>> begin) {
        meter.called();
        CompletableFuture<R> answer = new CompletableFuture<>();
        try {
            client.calls().execute(() -> begin(begin, answer));
        } catch (RejectedExecutionException tooManyOrClosed) {
            answer.completeExceptionally(tooManyOrClosed);
        }
        Runnable cancel =
                later(DynamoClient.CALL_TIMEOUT.toNanos(), () -> answer.completeExceptionally(new TimeoutException()));
        var unused = answer.whenComplete((value, error) -> cancel.run());
        return answer;
    }

    /** Runs a short task after a delay, or at once if the client is closed. The returned action cancels it. */
    Runnable later(long delayNanos, Runnable task) {
        try {
            ScheduledFuture<?> timer = client.timer().schedule(task, delayNanos, TimeUnit.NANOSECONDS);
            return () -> timer.cancel(false);
        } catch (RejectedExecutionException closed) {
            task.run();
            return () -> {};
        }
    }

    /** Starts a call, unless the caller has given up meanwhile. The SDK itself ends a call that was sent. */
    private <R> void begin(Function<DynamoDbAsyncClient, CompletableFuture<R>> begin, CompletableFuture<R> answer) {
        if (answer.isDone()) {
            return;
        }
        try {
            CompletionStage<R> call = begin.apply(client.sdk());
            call.whenComplete((value, error) -> {
                if (error == null) {
                    answer.complete(value);
                } else {
                    answer.completeExceptionally(error);
                }
            });
        } catch (RuntimeException | Error e) {
            answer.completeExceptionally(e);
        }
    }

    private <R extends AwsResponse, T> void settle(
            CompletableFuture<T> result,
            String action,
            @Nullable R answer,
            @Nullable Throwable error,
            Function<R, T> good,
            Function<AwsServiceException, @Nullable T> bad) {
        try {
            T value = answer != null ? good.apply(answer) : asAnswer(error, bad);
            if (value != null) {
                answers.execute(() -> result.complete(value));
                return;
            }
            fail(result, errors.of(action, error == null ? new IllegalStateException("no answer") : error));
        } catch (RuntimeException | Error e) {
            fail(result, errors.of(action, e));
        }
    }

    private <T> void fail(CompletableFuture<T> result, StoreException failure) {
        meter.failed(failure);
        answers.execute(() -> result.completeExceptionally(failure));
    }

    private static <T> @Nullable T asAnswer(@Nullable Throwable error, Function<AwsServiceException, @Nullable T> bad) {
        return error != null && DynamoErrors.unwrapped(error) instanceof AwsServiceException answered
                ? bad.apply(answered)
                : null;
    }
}
