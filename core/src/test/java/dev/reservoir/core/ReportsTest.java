package dev.reservoir.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.reservoir.core.NoConnectionException.Why;
import dev.reservoir.core.kit.Fate;
import dev.reservoir.core.kit.InstantConnector;
import dev.reservoir.core.kit.TestCheckout;
import dev.reservoir.core.kit.Wire;
import dev.reservoir.core.kit.World;
import dev.reservoir.core.spi.Connector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a reservoir says of itself: errors that name the limit, numbers that add up, checkouts with their holders. */
class ReportsTest {

    private static NoConnectionException refusal(World world, Duration timeout) {
        TestCheckout checkout = world.acquire(timeout);
        world.advance(timeout);
        NoConnectionException refusal = checkout.refusal();
        assertThat(refusal).isNotNull();
        return refusal;
    }

    @Test
    void anErrorNamesTheLimitTheNumbersAndTheLongestCheckout() {
        World world = World.of(2).build().filled(2);
        world.take();
        world.advance(Duration.ofSeconds(41));
        world.take();
        world.acquire(Duration.ofSeconds(5));
        NoConnectionException refusal = refusal(world, Duration.ofMillis(250));
        assertThat(refusal.why()).isEqualTo(Why.TIMEOUT);
        assertThat(refusal.getMessage())
                .startsWith("orders: no connection within 250 ms. Limit reached: maxOpen (2). "
                        + "In use 2 of 2, ready 0, validating 0, opening 0, waiting ")
                .contains("Longest in use: 41 s, " + Thread.currentThread().getName())
                .endsWith(". Release connections sooner, or raise maxOpen.");
        assertThat(refusal).hasNoCause();
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void whenPermitsAreShortTheRateIsNamed() {
        World world = World.of(10).rate(0.5, 1).build();
        world.advance(Duration.ofSeconds(1));
        world.take();
        assertThat(refusal(world, Duration.ofMillis(100)))
                .hasMessageContaining("Limit reached: connection rate 0.50/s, burst 1, next free permit in ")
                .hasMessageContaining("In use 1 of 10, ready 0, validating 0, opening 9")
                .hasMessageEndingWith(" Wait, or raise the rate of connects as far as the database allows.");
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void whenLeasesAreShortTheLeasesAreNamed() {
        World world = World.of(10).leases(1).build();
        world.advance(Duration.ofSeconds(5));
        world.take();
        assertThat(refusal(world, Duration.ofMillis(100))).hasMessageContaining("cluster leases 1 of 1");
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void whenLeasesDoNotAnswerTheLeasesAreNamed() {
        World world = World.of(2)
                .leases(5)
                .script(w -> w.leases.acquiring = n -> Fate.hang())
                .build();
        assertThat(refusal(world, Duration.ofMillis(100))).hasMessageContaining("Limit reached: cluster leases 0 of 5");
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void whenConnectsFailTheServersWordsHowOftenAndTheNextTryAreNamedAndTheCauseIsAttached() throws Exception {
        Exception ofDriver = new IllegalStateException("no");
        OpenFailedException refused = new OpenFailedException(
                OpenFailureReason.AUTHENTICATION,
                "28P01 FATAL: password authentication failed\n for user \"app\" (db:5432)",
                ofDriver);
        Connector<Object> refusing = new Connector<>() {
            @Override
            public CompletionStage<Object> open(long timeoutNanos) {
                return CompletableFuture.failedFuture(refused);
            }

            @Override
            public CompletionStage<Boolean> validate(Object connection, long timeoutNanos) {
                return CompletableFuture.completedFuture(true);
            }

            @Override
            public CompletionStage<Void> close(Object connection, DiscardReason reason) {
                return CompletableFuture.completedFuture(null);
            }
        };
        try (Reservoir<Object> reservoir = Reservoir.builder(refusing)
                .name("orders")
                .targets(Targets.of(2))
                .build()) {
            Throwable refusal = catchThrowable(() -> reservoir.acquire(Duration.ofMillis(900)));
            assertThat(refusal.getMessage())
                    .startsWith(
                            "orders: no connection within 900 ms. Limit reached: none of the pool's; the database refuses"
                                    + " the login: 28P01 FATAL: password authentication failed for user \"app\" (db:5432), ")
                    .containsPattern(
                            ", [0-9]+ times in a row, next try (in [0-9.]+ m?s|under way)\\. In use 0 of 2, ready 0,")
                    .endsWith(". Check the user, the password or token, and the server's rules for logins.");
            assertThat(refusal).hasCauseInstanceOf(OpenFailedException.class).hasRootCause(ofDriver);
        }
    }

    @ParameterizedTest
    @EnumSource(OpenFailureReason.class)
    void everyReasonOfAFailedConnectIsToldWithItsWordsAndANextStep(OpenFailureReason reason) {
        World world = World.of(4).completesAtOnce().build().filled(4);
        world.discard(world.take(), DiscardReason.BAD);
        world.connector.opening = n -> Fate.fail(reason, 0);
        world.settle();
        world.take(3);
        assertThat(refusal(world, Duration.ofMillis(40)).getMessage())
                .containsPattern("Limit reached: [^:]+: scripted, next try in [0-9]+ m?s\\. In use 3 of 4, ")
                .containsPattern("\\. (Check|Lower|Wait|Call) [^.]+\\.$")
                .doesNotContain("docs/");
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void whenTheServerSaysThatItIsTooMuchThatIsSaidAndNothingIsThrownAway() {
        World world = World.of(4).completesAtOnce().build().filled(4);
        world.discard(world.take(), DiscardReason.BAD);
        world.connector.opening = n -> Fate.fail(OpenFailureReason.SERVER_RATE, 0);
        world.settle();
        world.take(3);
        assertThat(refusal(world, Duration.ofMillis(40)))
                .hasMessageContaining("Limit reached: the database's limit on new connections: ");
        world.connector.opening = n -> Fate.fail(OpenFailureReason.SERVER_FULL, 0);
        world.advance(Duration.ofSeconds(10));
        assertThat(refusal(world, Duration.ofMillis(40)))
                .hasMessageContaining("Limit reached: the database's limit on open connections: ");
        assertThat(world.stats().discards()).containsOnlyKeys(DiscardReason.BAD);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void whileConnectsAreUnderWayThatIsSaid() {
        World world = World.of(2)
                .script(w -> w.connector.opening = n -> Fate.succeed(2_000_000_000L))
                .build();
        assertThat(refusal(world, Duration.ofMillis(50)))
                .hasMessageContaining("Limit reached: none of the pool's; connects under way have not finished");
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void whileThoseThatCloseKeepTheirPlacesThatIsSaid() {
        World world = World.of(2).settings(s -> s.successorAllowance(0)).build().filled(2);
        world.connector.closing = wire -> Fate.succeed(2_000_000_000L);
        world.closesAnswer = false;
        world.reservoir.flush();
        world.settle();
        assertThat(refusal(world, Duration.ofMillis(50)))
                .hasMessageContaining("Limit reached: maxOpen (2), 2 being closed. ");
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aFailureThatIsLongOverIsNotBlamedForAFullReservoir() {
        World world = World.of(3)
                .script(w -> w.connector.opening =
                        n -> n == 3 ? Fate.fail(OpenFailureReason.CONNECT, 0) : Fate.succeed(1_000_000L))
                .build();
        world.advanceMillis(10);
        world.setTargets(Targets.of(2));
        world.settle();
        world.take(2);
        assertThat(refusal(world, Duration.ofMillis(50)))
                .hasMessageContaining("Limit reached: maxOpen (2)")
                .hasNoCause();
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void theNumbersOfOneInstantAddUp() {
        World world = World.of(10)
                .script(w -> w.connector.validating = wire -> Fate.succeed(500_000_000L))
                .build()
                .filled(10);
        List<Pooled<Wire>> held = world.take(4);
        world.advance(Duration.ofSeconds(1));
        world.suspectAll();
        world.settle();
        world.discard(held.get(0), DiscardReason.BAD);
        world.settle();
        Stats stats = world.stats();
        assertThat(stats)
                .extracting(Stats::ready, Stats::inUse, Stats::validating, Stats::open, Stats::opening, Stats::closing)
                .containsExactly(0, 3, 6, 9, 1, 1);
        assertThat(stats.checkouts()).isEqualTo(4);
        assertThat(stats.opened()).isEqualTo(10);
        assertThat(stats.discards()).containsOnlyKeys(DiscardReason.BAD);
        assertThat(stats.targets()).isEqualTo(Targets.of(10));
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void durationsAreMeasured() {
        World world = World.of(1)
                .script(w -> w.connector.opening = n -> Fate.succeed(30_000_000L))
                .build()
                .filled(1);
        for (int i = 0; i < 32; i++) {
            Pooled<Wire> pooled = world.take();
            world.advanceMillis(7);
            world.release(pooled);
        }
        Stats stats = world.stats();
        assertThat(stats.openTime().maxNanos()).isEqualTo(30_000_000L);
        assertThat(stats.useTime().count()).as("every sixteenth").isEqualTo(2);
        assertThat(stats.useTime().maxNanos()).isEqualTo(7_000_000L);
        assertThat(stats.checkoutTime().count()).isEqualTo(32);
        assertThat(stats.checkoutTime().p99Nanos()).isZero();
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void aCheckoutThatFindsAConnectionReadyIsMeasured() {
        World world = World.of(1).build().filled(1);
        world.release(takeFor(500, world));
        assertThat(world.stats().checkoutTime())
                .extracting(Durations::count, Durations::maxNanos)
                .containsExactly(1L, 500L);
        world.release(takeFor(550, world));
        assertThat(world.stats().checkoutTime().maxNanos()).as("the second").isEqualTo(550);
        for (int i = 0; i < 62; i++) {
            world.release(takeFor(600, world));
        }
        assertThat(world.stats().checkoutTime().maxNanos())
                .as("not every one is timed")
                .isEqualTo(550);
        takeFor(700, world);
        assertThat(world.stats().checkoutTime())
                .as("the 65th")
                .extracting(Durations::count, Durations::maxNanos)
                .containsExactly(65L, 700L);
        world.closeAndCheck(Duration.ZERO);
    }

    /** A checkout between whose looks at the clock so much time passes. */
    private static Pooled<Wire> takeFor(long nanos, World world) {
        world.time.beforeLook = () -> world.clock.advance(nanos);
        Pooled<Wire> taken = world.take();
        world.time.beforeLook = () -> {};
        return taken;
    }

    @Test
    void checkoutsAreReportedLongestFirstAndWithStacksIfTracked() {
        World world = World.of(3).settings(s -> s.tracksCheckouts(true)).build().filled(3);
        world.take();
        world.advance(Duration.ofSeconds(10));
        world.take();
        world.advance(Duration.ofSeconds(5));
        world.take();
        List<InUseReport> checkouts = world.reservoir.checkouts(Duration.ofSeconds(5));
        assertThat(checkouts).extracting(InUseReport::heldNanos).containsExactly(15_000_000_000L, 5_000_000_000L);
        assertThat(checkouts).allSatisfy(checkout -> {
            assertThat(checkout.thread()).isEqualTo(Thread.currentThread().getName());
            assertThat(checkout.stack()).anyMatch(frame -> frame.getClassName().equals(ReportsTest.class.getName()));
        });
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void withoutTrackingNoStackIsTaken() {
        World world = World.of(1).build().filled(1);
        Pooled<Wire> pooled = world.take();
        assertThat(world.reservoir.checkouts(Duration.ZERO).get(0).stack()).isEmpty();
        world.release(pooled);
        assertThat(world.reservoir.checkouts(Duration.ZERO)).isEmpty();
        world.closeAndCheck(Duration.ZERO);
    }

    private static String place(String... frames) {
        List<StackTraceElement> stack = new ArrayList<>();
        for (String frame : frames) {
            int dot = frame.lastIndexOf('.');
            stack.add(new StackTraceElement(frame.substring(0, dot), frame.substring(dot + 1), "File.java", 88));
        }
        return new InUseReport(41_000_000_000L, "http-17", stack).describe();
    }

    @Test
    void aReportNamesThePlaceInTheApplication() {
        assertThat(place(
                        "dev.reservoir.core.Reservoir.acquire",
                        "dev.reservoir.jdbc.ReservoirDataSource.getConnection",
                        "com.acme.OrderDao.find",
                        "com.acme.OrderService.list"))
                .isEqualTo("41 s, http-17, OrderDao.find:88");
    }

    @Test
    void aReportPassesOverFrameworksProxiesAndGeneratedClasses() {
        assertThat(place(
                        "dev.reservoir.jdbc.ReservoirDataSource.getConnection",
                        "net.ttddyy.dsproxy.support.ProxyDataSource.getConnection",
                        "com.p6spy.engine.spy.P6DataSource.getConnection",
                        "org.hibernate.engine.jdbc.connections.internal.DatasourceConnectionProviderImpl.getConnection",
                        "com.acme.Orders$HibernateProxy$Xy12.getLines",
                        "jdk.internal.reflect.DirectMethodHandleAccessor.invoke",
                        "java.lang.reflect.Method.invoke",
                        "org.apache.ibatis.session.defaults.DefaultSqlSession.selectList",
                        "jdk.proxy2.$Proxy112.findAll",
                        "com.sun.proxy.$Proxy12.findAll",
                        "com.acme.OrderService$$SpringCGLIB$$0.list",
                        "com.acme.OrderService$ByteBuddy$x1.list",
                        "com.acme.OrderService_Subclass.list",
                        "com.acme.OrderService.lambda$list$3",
                        "org.springframework.transaction.support.TransactionTemplate.execute",
                        "com.acme.OrderController.get"))
                .isEqualTo("41 s, http-17, OrderService.list:88");
    }

    @Test
    void anApplicationsOwnProxyFactoryIsAPlaceInIt() {
        assertThat(place("java.lang.reflect.Method.invoke", "com.acme.Orders$ProxyFactory.make"))
                .isEqualTo("41 s, http-17, Orders$ProxyFactory.make:88");
    }

    @Test
    void aReportOfFrameworksAloneNamesTheFirst() {
        assertThat(place(
                        "dev.reservoir.jdbc.ReservoirDataSource.getConnection",
                        "com.zaxxer.hikari.pool.PoolBase.newConnection",
                        "com.zaxxer.hikari.pool.HikariPool.createPoolEntry",
                        "java.lang.Thread.run"))
                .isEqualTo("41 s, http-17, PoolBase.newConnection:88");
        assertThat(place("dev.reservoir.core.Reservoir.acquire")).isEqualTo("41 s, http-17");
        assertThat(new InUseReport(1_000_000L, "main", List.of(new StackTraceElement("com.acme.Dao", "find", null, -1)))
                        .describe())
                .isEqualTo("1 ms, main, Dao.find");
    }

    @Test
    void readinessCanBeWatched() {
        World world = World.of(5)
                .settings(s -> s.opensInFlightMax(1))
                .script(w -> w.connector.opening = n -> Fate.succeed(100_000_000L))
                .build();
        List<CompletableFuture<Void>> fillWatchers = new ArrayList<>();
        world.call(() -> {
            fillWatchers.add(world.reservoir.whenReady(0));
            fillWatchers.add(world.reservoir.whenReady(2));
            fillWatchers.add(world.reservoir.whenReady(5));
            fillWatchers.add(world.reservoir.whenReady(6));
        });
        world.advanceMillis(210);
        assertThat(fillWatchers).extracting(CompletableFuture::isDone).containsExactly(true, true, false, false);
        world.take();
        world.advanceMillis(300);
        assertThat(fillWatchers).extracting(CompletableFuture::isDone).containsExactly(true, true, true, false);
        fillWatchers.get(3).cancel(false);
        world.closeAndCheck(Duration.ZERO);
    }

    @Test
    void waitingForReadinessEndsAtItsTimeOut() throws Exception {
        try (Reservoir<Object> reservoir =
                Reservoir.builder(new InstantConnector()).targets(Targets.of(2)).build()) {
            assertThat(reservoir.awaitReady(2, Duration.ofMinutes(1))).isTrue();
            assertThat(reservoir.awaitReady(3, Duration.ofMillis(1))).isFalse();
            assertThat(reservoir.toString()).isEqualTo("Reservoir[reservoir]");
        }
    }

    @Test
    void aCheckoutByThreadEndsWithTheSameError() throws Exception {
        try (Reservoir<Object> reservoir = Reservoir.builder(new InstantConnector())
                .name("orders")
                .targets(Targets.of(1))
                .build()) {
            Pooled<Object> pooled = reservoir.acquire(Duration.ofMinutes(1));
            assertThat(catchThrowable(() -> reservoir.acquire(Duration.ofMillis(2))))
                    .isInstanceOf(NoConnectionException.class)
                    .hasMessageStartingWith(
                            "orders: no connection within 2 ms. Limit reached: maxOpen (1). In use 1 of 1");
            reservoir.release(pooled);
            // Longer than a long can count nanoseconds.
            reservoir.release(reservoir.acquire(Duration.ofDays(200_000)));
        }
    }

    @Test
    void forEverIsLong() throws Exception {
        try (Reservoir<Object> reservoir =
                Reservoir.builder(new InstantConnector()).targets(Targets.of(1)).build()) {
            Pooled<Object> pooled = reservoir.acquire(Duration.ofMinutes(1));
            CompletableFuture<Void> released = CompletableFuture.runAsync(
                    () -> reservoir.release(pooled),
                    CompletableFuture.delayedExecutor(20, java.util.concurrent.TimeUnit.MILLISECONDS));
            assertThat(reservoir.acquire(Long.MAX_VALUE)).isSameAs(pooled);
            released.join();
        }
    }
}
