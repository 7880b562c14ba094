package dev.reservoir.dsql.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.core.spi.Credentials.Credential;
import dev.reservoir.core.time.VirtualTime;
import dev.reservoir.dsql.TokenStats;
import dev.reservoir.testkit.LogLines;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tokens: kept, renewed early, one renewal at a time, replaced once when refused, and used to their end while
 * credentials fail.
 */
class RenewingTokensTest {
    private static final Instant BEGINNING = Instant.parse("2026-11-01T00:00:00Z");

    private final VirtualTime time = new VirtualTime();
    private final Deque<Runnable> worker = new ArrayDeque<>();
    private final List<Instant> signed = new ArrayList<>();
    private Duration clockOff = Duration.ZERO;
    private Duration life = Duration.ofMinutes(15);
    private RuntimeException trouble;
    private boolean workerHangs;
    private boolean ended;
    private final RenewingTokens tokens = new RenewingTokens(
            "host",
            "admin",
            this::sign,
            time,
            this::now,
            this::work,
            new SplittableRandom(1),
            () -> ended = true,
            false);

    private final LogLines log = new LogLines();

    @AfterEach
    void nothingLoggedShowsAToken() {
        log.close();
        assertThat(log.lines()).noneMatch(line -> line.contains("token-"));
    }

    private Instant now() {
        return BEGINNING.plusNanos(time.nanos()).plus(clockOff);
    }

    private Token sign() {
        if (trouble != null) {
            throw trouble;
        }
        signed.add(now());
        return new Token("token-" + signed.size(), now().plus(life));
    }

    private void work(Runnable task) {
        if (workerHangs) {
            worker.add(task);
        } else {
            task.run();
        }
    }

    private void pass(Duration duration) {
        time.advanceTo(time.nanos() + duration.toNanos());
    }

    private CompletableFuture<Credential> ask() {
        CompletableFuture<Credential> asked = tokens.current().toCompletableFuture();
        pass(Duration.ZERO);
        return asked;
    }

    private String secret() {
        return ask().join().secret();
    }

    @Test
    void nothingIsAskedForBeforeItIsWanted() {
        pass(Duration.ofHours(1));
        assertThat(signed).isEmpty();
        assertThat(tokens.stats()).isEqualTo(new TokenStats(0, 0, 0, 0, null));
    }

    @Test
    void oneTokenServesManyConnects() {
        assertThat(ask().join()).isEqualTo(new Credential("admin", "token-1"));
        for (int i = 0; i < 100; i++) {
            pass(Duration.ofSeconds(5));
            assertThat(secret()).isEqualTo("token-1");
        }
        assertThat(tokens.stats()).isEqualTo(new TokenStats(1, 0, 0, 0, BEGINNING.plusSeconds(900)));
    }

    @Test
    void itIsRenewedAtTwoThirdsOfItsLifeWithoutAnybodyAsking() {
        secret();
        pass(Duration.ofSeconds(599));
        assertThat(signed).hasSize(1);
        pass(Duration.ofSeconds(1));
        assertThat(signed).hasSize(2);
        assertThat(secret()).isEqualTo("token-2");
        pass(Duration.ofHours(10));
        assertThat(signed).hasSize(62);
    }

    @Test
    void callersWithoutATokenWaitForOneRenewal() {
        workerHangs = true;
        List<CompletableFuture<Credential>> asked = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            asked.add(ask());
        }
        assertThat(asked).noneMatch(CompletableFuture::isDone);
        assertThat(worker).hasSize(1);
        worker.remove().run();
        assertThat(asked).allSatisfy(one -> assertThat(one.join().secret()).isEqualTo("token-1"));
        assertThat(signed).hasSize(1);
    }

    @Test
    void oneCallerCannotEndTheRenewalForOthers() {
        workerHangs = true;
        CompletableFuture<Credential> impatient = ask();
        CompletableFuture<Credential> patient = ask();
        impatient.cancel(true);
        worker.remove().run();
        assertThat(patient.join().secret()).isEqualTo("token-1");
    }

    @Test
    void whileCredentialsFailTheTokenThatHasNotExpiredServes() {
        secret();
        trouble = new IllegalStateException("no credentials");
        pass(Duration.ofSeconds(839));
        assertThat(secret()).isEqualTo("token-1");
        assertThat(tokens.stats().failures()).isGreaterThan(3);
        pass(Duration.ofSeconds(1));
        assertThatThrownBy(() -> ask().join())
                .isInstanceOf(CompletionException.class)
                .hasMessageContaining("no token for admin at host after ")
                .hasMessageContaining("no credentials")
                .hasMessageNotContaining("token-1");
        trouble = null;
        pass(Duration.ofSeconds(61));
        assertThat(secret()).isEqualTo("token-2");
    }

    @Test
    void failuresAreRetriedAfterAGrowingPauseWithoutAnybodyAsking() {
        trouble = new IllegalStateException("no credentials");
        assertThatThrownBy(() -> ask().join()).hasMessageContaining("no token for admin at host: ");
        long before = 1;
        for (int i = 0; i < 12; i++) {
            long step = Math.min(60, 1L << i);
            pass(Duration.ofMillis(step * 500 - 1));
            assertThat(tokens.stats().failures()).as("step %d", i).isEqualTo(before);
            while (tokens.stats().failures() == before) {
                pass(Duration.ofMillis(10));
            }
            before++;
        }
        assertThat(time.nanos()).isLessThan(Duration.ofMinutes(10).toNanos());
    }

    @Test
    void whoAsksDuringThePauseIsToldWhyAtOnce() {
        trouble = new IllegalStateException("no credentials");
        assertThat(ask()).isCompletedExceptionally();
        CompletableFuture<Credential> asked = tokens.current().toCompletableFuture();
        assertThat(asked).isCompletedExceptionally();
        assertThatThrownBy(asked::join).hasMessageContaining("after 1 tries, next try in ");
        assertThat(tokens.stats().failures()).isEqualTo(1);
    }

    @Test
    void aSourceThatHangsIsGivenUpAndNotAskedTwiceAtOnce() {
        workerHangs = true;
        CompletableFuture<Credential> asked = ask();
        pass(Duration.ofSeconds(30));
        assertThatThrownBy(asked::join).hasMessageContaining("no AWS credentials within 30 s");
        assertThatThrownBy(() -> ask().join()).hasMessageContaining("no AWS credentials within 30 s");
        pass(Duration.ofHours(1));
        assertThat(worker).hasSize(1);
        assertThat(tokens.stats().failures())
                .as("counted, though it never ended")
                .isEqualTo(1);
        assertThat(log.lines())
                .filteredOn(line -> line.startsWith("WARN"))
                .containsExactly(
                        "WARN DSQL token renewal hangs, no other begins before it ends  endpoint=host user=admin"
                                + " attempt=1 error=\"java.util.concurrent.TimeoutException: no AWS credentials within 30 s\"");
        worker.remove().run();
        assertThat(secret()).isEqualTo("token-1");
    }

    @Test
    void oneThatFailsAfterItWasGivenUpIsCountedOnce() {
        workerHangs = true;
        var unused = ask();
        pass(Duration.ofSeconds(30));
        trouble = new IllegalStateException("no credentials");
        worker.remove().run();
        assertThat(tokens.stats().failures()).isEqualTo(1);
        assertThatThrownBy(() -> ask().join()).hasMessageContaining("after 1 tries, next try in ");
    }

    @Test
    void aRefusedTokenIsReplacedOnceAndAtOnce() {
        Credential first = ask().join();
        tokens.refused(first);
        tokens.refused(first);
        assertThat(secret()).isEqualTo("token-2");
        assertThat(tokens.stats()).isEqualTo(new TokenStats(2, 0, 2, 1, now().plus(life)));

        tokens.refused(new Credential("admin", "token-2"));
        assertThat(secret()).as("it is not the token").isEqualTo("token-2");
        pass(Duration.ofSeconds(61));
        tokens.refused(new Credential("admin", "token-2"));
        assertThat(secret()).isEqualTo("token-3");
        assertThat(tokens.stats().forced()).isEqualTo(2);
    }

    @Test
    void anOldTokenThatIsRefusedLateChangesNothing() {
        Credential first = ask().join();
        pass(Duration.ofMinutes(10));
        assertThat(secret()).isEqualTo("token-2");
        tokens.refused(first);
        assertThat(secret()).isEqualTo("token-2");
        assertThat(tokens.stats().forced()).isZero();
    }

    @Test
    void credentialsThatEndSoonEndTheTokenAndAreAskedForAgainInTime() {
        life = Duration.ofSeconds(8);
        assertThat(secret()).isEqualTo("token-1");
        pass(Duration.ofSeconds(4));
        assertThat(secret()).isEqualTo("token-2");
        life = Duration.ofMinutes(15);
        pass(Duration.ofSeconds(4));
        assertThat(secret()).isEqualTo("token-3");
    }

    @Test
    void credentialsThatHaveExpiredMakeNoToken() {
        life = Duration.ZERO;
        assertThatThrownBy(() -> ask().join())
                .hasMessageContaining("the AWS credentials expired at 2026-11-01T00:00:00Z");
    }

    @Test
    void aClockSetForwardEndsATokenAndOneSetBackDoesNotProlongIt() {
        secret();
        clockOff = Duration.ofSeconds(850);
        assertThat(secret()).isEqualTo("token-2");
        clockOff = Duration.ZERO;
        trouble = new IllegalStateException("no credentials");
        pass(Duration.ofSeconds(839));
        assertThat(secret()).isEqualTo("token-2");
        pass(Duration.ofSeconds(1));
        assertThatThrownBy(() -> ask().join()).hasMessageContaining("no credentials");
    }

    @Test
    void afterTheEndTheTokenServesOutItsLifeAndIsNotRenewed() {
        secret();
        tokens.close();
        tokens.close();
        assertThat(ended).isTrue();
        assertThat(secret()).isEqualTo("token-1");
        pass(Duration.ofMinutes(14));
        assertThatThrownBy(() -> ask().join()).hasMessageContaining("DsqlTokens[admin at host] is closed");
        assertThat(signed).hasSize(1);
    }

    @Test
    void theEndEndsTheWaitOfThoseWhoWait() {
        workerHangs = true;
        CompletableFuture<Credential> asked = ask();
        tokens.close();
        assertThatThrownBy(asked::join).hasMessageContaining("is closed");
    }

    @Test
    void nothingThatIsShownShowsIt() {
        secret();
        assertThat(tokens.toString()).isEqualTo("DsqlTokens[admin at host]");
        assertThat(tokens.stats().toString()).doesNotContain("token-1");
        assertThat(new Token("s3cret", BEGINNING).toString()).doesNotContain("s3cret");
        assertThat(tokens.stats().asMetrics(now())).containsEntry("dsql_token_remaining_seconds", 900.0);
    }

    @Test
    void durationsBeyondTheServersAreRefused() {
        assertThatThrownBy(() -> TokenDuration.check("tokenDuration", Duration.ZERO))
                .hasMessage("tokenDuration is 0.0 s; allowed: 1 s to 604800 s (7 days)");
        assertThatThrownBy(() -> TokenDuration.check("tokenDuration", Duration.ofDays(8)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(TokenDuration.check("tokenDuration", Duration.ofDays(7))).isEqualTo(Duration.ofDays(7));
    }
}
