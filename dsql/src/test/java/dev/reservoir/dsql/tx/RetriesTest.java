package dev.reservoir.dsql.tx;

import static dev.reservoir.dsql.VirtualRetries.conflict;
import static dev.reservoir.dsql.VirtualRetries.lost;
import static dev.reservoir.dsql.VirtualRetries.unavailable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.reservoir.dsql.VirtualRetries;
import dev.reservoir.dsql.error.ConditionFailedException;
import dev.reservoir.dsql.error.DsqlError;
import dev.reservoir.dsql.error.DsqlErrors;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** On virtual time: no test here waits. */
class RetriesTest {
    private final VirtualRetries virtual = new VirtualRetries();
    private final Deque<Exception> script = new ArrayDeque<>();
    private int attempts;

    /** Fails as the script says, then succeeds. */
    private String attempt() throws Exception {
        attempts++;
        virtual.nanos += Duration.ofMillis(10).toNanos();
        Exception next = script.poll();
        if (next != null) {
            throw next;
        }
        return "done";
    }

    private void failing(int times, Supplier<? extends Exception> with) {
        for (int i = 0; i < times; i++) {
            script.add(with.get());
        }
    }

    @Test
    void conflictsAreRunAgainUntilItSucceeds() throws Exception {
        failing(3, VirtualRetries::conflict);

        assertThat(virtual.builder().build().call("op", this::attempt)).isEqualTo("done");

        assertThat(attempts).isEqualTo(4);
        assertThat(virtual.slept)
                .containsExactly(Duration.ofMillis(100), Duration.ofMillis(200), Duration.ofMillis(400));
    }

    @Test
    void pausesDoubleUpToTheCap() throws Exception {
        failing(9, VirtualRetries::conflict);

        virtual.builder().retries(9).build().call("op", this::attempt);

        assertThat(virtual.slept)
                .extracting(Duration::toMillis)
                .containsExactly(100L, 200L, 400L, 800L, 1_600L, 3_200L, 5_000L, 5_000L, 5_000L);
    }

    @ParameterizedTest
    @CsvSource({"0.0, 75, 3750", "0.5, 100, 5000", "0.999999, 124, 5000"})
    void jitterIsAQuarterMoreOrLessAndNeverBeyondTheCap(double chance, long first, long last) throws Exception {
        virtual.chance = chance;
        failing(9, VirtualRetries::conflict);

        virtual.builder().retries(9).build().call("op", this::attempt);

        assertThat(virtual.slept.get(0).toMillis()).isEqualTo(first);
        assertThat(virtual.slept.get(8).toMillis()).isEqualTo(last);
    }

    @Test
    void whenRetriesAreExhaustedTheErrorSaysWhatWasTried() {
        failing(5, VirtualRetries::conflict);
        SQLException last = new SQLException("schema has been updated: (OC001)", "40001");
        script.add(last);

        RetriesExhaustedException end = catchThrowableOfType(
                RetriesExhaustedException.class, () -> virtual.builder().build().call("order.place", this::attempt));

        assertThat(end.operation()).isEqualTo("order.place");
        assertThat(end.attempts()).isEqualTo(6).isEqualTo(attempts);
        assertThat(end.elapsed()).isEqualTo(Duration.ofMillis(60 + 3_100));
        assertThat(end.backoffs()).isEqualTo(virtual.slept).hasSize(5);
        assertThat((Throwable) end).hasCause(last);
        assertThat(end.getSuppressed()).hasSize(5).allMatch(e -> e.getMessage().contains("OC000"));
        assertThat(end.getSQLState()).isEqualTo("40001");
        assertThat((Throwable) end)
                .hasMessage(
                        "order.place: gave up after 6 attempts in 3.2 s, waited 100 ms, 200 ms, 400 ms, 800 ms, 1.6 s"
                                + " (retries 5). Last error: schema_changed 40001, schema has been updated: (OC001)."
                                + " Nothing was committed; run it again later.");
    }

    @Test
    void withoutRetriesOneAttemptIsAll() {
        failing(1, VirtualRetries::conflict);

        assertThatThrownBy(() -> virtual.builder().retries(0).build().call("op", this::attempt))
                .isInstanceOf(RetriesExhaustedException.class)
                .hasMessageStartingWith("op: gave up after 1 attempt in 10 ms (retries 0).");
        assertThat(virtual.slept).isEmpty();
    }

    @Test
    void noAttemptBeginsAfterTheDeadline() {
        failing(9, VirtualRetries::conflict);

        assertThatThrownBy(() -> virtual.builder()
                        .deadline(Duration.ofMillis(700))
                        .build()
                        .call("op", this::attempt))
                .isInstanceOf(RetriesExhaustedException.class)
                .hasMessageContaining("deadline 700 ms, the next attempt would begin after it");
        // 10 + 100 + 10 + 200 + 10 = 330 ms; another 400 would be too late.
        assertThat(attempts).isEqualTo(3);
    }

    @Test
    void anInterruptEndsThePauseAndStaysSet() {
        failing(9, VirtualRetries::conflict);
        virtual.whileSleeping = () -> Thread.currentThread().interrupt();

        assertThatThrownBy(() -> virtual.builder().build().call("op", this::attempt))
                .isInstanceOf(InterruptedTransactionException.class)
                .hasMessage("op: interrupted while waiting to run again after attempt 1")
                .hasCauseInstanceOf(SQLException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(attempts).isEqualTo(1);
    }

    @Test
    void otherErrorsComeAtOnceAsTheyAre() {
        List<Exception> errors = List.of(
                new SQLException("duplicate key", "23505"),
                new SQLException("transaction row limit exceeded", "54000"),
                new SQLException("unsupported statement", "0A000"),
                new ConditionFailedException("shard 1", 5L),
                lost(),
                new IllegalArgumentException("a bug of the caller's"));
        for (Exception error : errors) {
            script.add(error);
            assertThatThrownBy(() -> virtual.builder().build().call("op", this::attempt))
                    .isSameAs(error);
        }
        assertThat(attempts).isEqualTo(errors.size());
    }

    @Test
    void whoDoesNotTellCommitsIsNotRunAgainWhenTheServerIsUnavailableUnlessIdempotent() throws Exception {
        failing(1, VirtualRetries::unavailable);
        assertThatThrownBy(() -> virtual.builder().build().call("op", this::attempt))
                .hasMessage("server unavailable");

        failing(1, VirtualRetries::unavailable);
        assertThat(virtual.builder().build().idempotent().call("op", this::attempt))
                .isEqualTo("done");
    }

    @Test
    void whoTellsCommitsIsRunAgain() throws Exception {
        failing(2, VirtualRetries::unavailable);
        assertThat(virtual.builder().build().call("op", this::attempt, () -> true))
                .isEqualTo("done");
    }

    @Test
    void anIndeterminateCommitIsRunAgainOnlyIfIdempotent() throws Exception {
        script.add(new IndeterminateCommitException("op", unavailable()));
        assertThatThrownBy(() -> virtual.builder().build().call("op", this::attempt, () -> true))
                .isInstanceOf(IndeterminateCommitException.class);
        assertThat(attempts).isEqualTo(1);

        script.add(new IndeterminateCommitException("op", lost()));
        assertThat(virtual.builder().build().idempotent().call("op", this::attempt, () -> true))
                .isEqualTo("done");
    }

    @Test
    void whatMayHaveBeenCommittedIsSaidWhenItIsGivenUp() {
        Retries retries = virtual.builder().retries(1).idempotent(true).build();
        script.add(new IndeterminateCommitException("op", lost()));
        script.add(conflict());
        assertThatThrownBy(() -> retries.call("op", this::attempt, () -> true))
                .hasMessageEndingWith(
                        "(OC000). An attempt may have been committed: check whether its changes are there before you run it again.")
                .isInstanceOfSatisfying(
                        RetriesExhaustedException.class,
                        e -> assertThat(e.mayBeCommitted()).isTrue());

        failing(2, VirtualRetries::unavailable);
        assertThatThrownBy(() -> retries.call("op", this::attempt))
                .as("who does not tell commits may have been lost in one")
                .isInstanceOfSatisfying(
                        RetriesExhaustedException.class,
                        e -> assertThat(e.mayBeCommitted()).isTrue());

        failing(2, VirtualRetries::unavailable);
        assertThatThrownBy(() -> retries.call("op", this::attempt, () -> true))
                .isInstanceOfSatisfying(
                        RetriesExhaustedException.class,
                        e -> assertThat(e.mayBeCommitted()).isFalse());
    }

    @Test
    void whatMayHaveBeenCommittedIsSaidWhenItIsInterrupted() {
        script.add(new IndeterminateCommitException("op", lost()));
        virtual.whileSleeping = () -> Thread.currentThread().interrupt();
        assertThatThrownBy(() -> virtual.builder().idempotent(true).build().call("op", this::attempt, () -> true))
                .hasMessage(
                        "op: interrupted while waiting to run again after attempt 1; an attempt may have been committed")
                .isInstanceOfSatisfying(
                        InterruptedTransactionException.class,
                        e -> assertThat(e.mayBeCommitted()).isTrue());
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aTransactionWhoseConnectionWasLostBeforeTheCommitIsRunAgain() throws Exception {
        Retries retries = virtual.builder().build();
        failing(1, VirtualRetries::lost);
        assertThat(retries.call("op", this::attempt, () -> true)).isEqualTo("done");

        failing(1, VirtualRetries::lost);
        assertThatThrownBy(() -> retries.call("op", this::attempt, () -> false))
                .as("no connection could be had, or another was lost")
                .hasMessageContaining("I/O error");
        failing(1, VirtualRetries::lost);
        assertThatThrownBy(() -> retries.call("op", this::attempt))
                .as("it may have been committing")
                .hasMessageContaining("I/O error");
    }

    @Test
    void whoeverIsIdempotentIsRunAgainUnlessThePoolHadNoneToGive() throws Exception {
        Retries retries = virtual.builder().idempotent(true).build();
        failing(1, VirtualRetries::lost);
        assertThat(retries.call("op", this::attempt)).isEqualTo("done");

        SQLException exhausted = new SQLTransientConnectionException("no connection within 30 s", "08001");
        failing(1, () -> new IllegalStateException("wrapped", exhausted));
        assertThatThrownBy(() -> retries.call("op", this::attempt)).hasCause(exhausted);
    }

    @Test
    void whatAnInnerOneHasGivenUpIsNotTriedAgain() {
        script.add(new RuntimeException(new RetriesExhaustedException(
                "inner", "retries 5", Duration.ZERO, List.of(), conflict(), DsqlErrors.of(conflict()), false)));

        assertThatThrownBy(() -> virtual.builder().build().call("op", this::attempt))
                .hasRootCauseMessage("change conflicts with another transaction (OC000)");
        assertThat(attempts).isEqualTo(1);
    }

    @Test
    void aListenerHearsOfEverythingAndMayFail() throws Exception {
        List<String> heard = new ArrayList<>();
        failing(1, VirtualRetries::conflict);
        TransactionListener listener = new TransactionListener() {
            @Override
            public void failed(String operation, int attempt, DsqlError error, Throwable cause) {
                heard.add(operation + " failed " + attempt + " " + error.label());
                throw new IllegalStateException("a listener that fails");
            }

            @Override
            public void retrying(String operation, int attempt, long backoffNanos) {
                heard.add(operation + " retrying " + attempt + " " + Duration.ofNanos(backoffNanos));
            }

            @Override
            public void ended(String operation, boolean committed, long elapsedNanos) {
                heard.add(operation + " ended " + committed + " " + Duration.ofNanos(elapsedNanos));
            }
        };

        virtual.builder().listener(listener).build().call("op", this::attempt);

        assertThat(heard).containsExactly("op failed 1 conflict", "op retrying 1 PT0.1S", "op ended true PT0.12S");
    }

    @Test
    void settingsThatAreNotAllowedAreNamed() {
        assertThatThrownBy(() -> Retries.builder().retries(101).build())
                .hasMessage("retries is 101; allowed: 0 to 100");
        assertThatThrownBy(() -> Retries.builder().base(Duration.ZERO).build())
                .hasMessage("base is PT0S; allowed: 1 ms to 60 s");
        assertThatThrownBy(() -> Retries.builder().cap(Duration.ofMillis(10)).build())
                .hasMessage("cap is PT0.01S; allowed: 100 ms to 10 min");
        assertThatThrownBy(() -> Retries.builder().jitter(1.5).build()).hasMessage("jitter is 1.5; allowed: 0 to 1");
        assertThatThrownBy(() -> Retries.builder().deadline(Duration.ZERO).build())
                .hasMessageStartingWith("deadline is PT0S; allowed: ");
    }
}
