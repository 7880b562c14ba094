package dev.reservoir.dsql.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.dsql.tx.Retries;
import dev.reservoir.dsql.tx.RetriesExhaustedException;
import dev.reservoir.testkit.RealPostgres;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.target.SingletonTargetSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.MatchAlwaysTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Spring's own transactions, with real conflicts of a real database. */
class RetryingTransactionTest {
    private AnnotationConfigApplicationContext spring;
    private JdbcTemplate jdbc;
    private Accounts accounts;
    private Retries retries;

    @BeforeEach
    void start() {
        RealPostgres.execute(
                "drop table if exists spring_accounts",
                "create table spring_accounts (id int primary key, amount bigint not null)",
                "insert into spring_accounts values (1, 0), (2, 0)");
        spring = new AnnotationConfigApplicationContext(Database.class);
        jdbc = spring.getBean(JdbcTemplate.class);
        accounts = spring.getBean(Accounts.class);
        retries = spring.getBean(Retries.class);
    }

    @AfterEach
    void stop() {
        spring.close();
    }

    @Configuration
    @EnableTransactionManagement
    @Import(RetryingTransactionConfiguration.class)
    static class Database {
        @Bean
        static Retries retries() {
            return Retries.builder()
                    .retries(50)
                    .base(Duration.ofMillis(1))
                    .cap(Duration.ofMillis(20))
                    .jitter(1)
                    .build();
        }

        @Bean
        DataSource dataSource() {
            return RealPostgres.repeatableRead();
        }

        @Bean
        PlatformTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        JdbcTemplate jdbc(DataSource dataSource) {
            return new JdbcTemplate(dataSource);
        }

        @Bean
        InnerService inner(JdbcTemplate jdbc) {
            return new InnerService(jdbc);
        }

        @Bean
        Accounts accounts(JdbcTemplate jdbc, InnerService inner) {
            return new Accounts(jdbc, inner);
        }
    }

    static class InnerService {
        private final AtomicInteger runs = new AtomicInteger();
        private final JdbcTemplate jdbc;

        InnerService(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        /** How often it ran; by a method, as a proxy has no fields. */
        public int runs() {
            return runs.get();
        }

        private void add(int id) {
            runs.incrementAndGet();
            jdbc.update("update spring_accounts set amount = amount + 1 where id = ?", id);
        }

        @Transactional
        public void joining(int id) {
            add(id);
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void alone(int id) {
            add(id);
        }
    }

    static class Accounts {
        private final AtomicInteger runs = new AtomicInteger();
        private final JdbcTemplate jdbc;
        private final InnerService inner;

        Accounts(JdbcTemplate jdbc, InnerService inner) {
            this.jdbc = jdbc;
            this.inner = inner;
        }

        public int runs() {
            return runs.get();
        }

        private Long read(int id) {
            return jdbc.queryForObject("select amount from spring_accounts where id = ?", Long.class, id);
        }

        /** Between its read and its write anything may happen. */
        @Transactional
        public long add(int id, Runnable meanwhile) {
            runs.incrementAndGet();
            long amount = read(id);
            meanwhile.run();
            jdbc.update("update spring_accounts set amount = ? where id = ?", amount + 1, id);
            return amount + 1;
        }

        @Transactional
        public void addInSameTransaction(Runnable meanwhile) {
            runs.incrementAndGet();
            read(1);
            meanwhile.run();
            inner.joining(1);
        }

        @Transactional
        public void addInOwnTransaction(Runnable meanwhile) {
            runs.incrementAndGet();
            read(1);
            meanwhile.run();
            inner.alone(2);
        }

        @Transactional(propagation = Propagation.SUPPORTS)
        public void withoutTransaction(DataAccessException error) {
            runs.incrementAndGet();
            throw error;
        }

        @Transactional(readOnly = true)
        public long look(Runnable meanwhile) {
            runs.incrementAndGet();
            meanwhile.run();
            return read(1);
        }

        @Transactional
        public void fail(DataAccessException error) {
            runs.incrementAndGet();
            throw error;
        }

        /** Spring commits when a checked exception comes. */
        @Transactional
        public void commitAndThrow(Exception error) throws Exception {
            runs.incrementAndGet();
            jdbc.update("update spring_accounts set amount = amount + 1 where id = 1");
            throw error;
        }

        @Transactional
        public void failAfterTheCommit(RuntimeException error) {
            runs.incrementAndGet();
            jdbc.update("update spring_accounts set amount = amount + 1 where id = 1");
            inner.alone(2);
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    throw error;
                }
            });
        }

        @Transactional
        public void failWithTheInnerOneCommitted(Runnable meanwhile) {
            runs.incrementAndGet();
            read(1);
            meanwhile.run();
            inner.alone(2);
            jdbc.update("update spring_accounts set amount = amount + 1 where id = 1");
        }

        public void notTransactional(Runnable what) {
            what.run();
        }
    }

    /** Changes the row from outside, the first so many times. */
    private Runnable overtaken(int id, int times) {
        AtomicInteger left = new AtomicInteger(times);
        return () -> {
            if (left.getAndDecrement() > 0) {
                RealPostgres.execute("update spring_accounts set amount = amount + 100 where id = " + id);
            }
        };
    }

    private static DataAccessException unavailable() {
        return new TransientDataAccessResourceException(
                "as Spring translates it", new SQLException("server unavailable", "XX000"));
    }

    @Test
    void aConflictRunsTheMethodAgainInANewTransaction() {
        assertThat(accounts.add(1, overtaken(1, 3))).isEqualTo(301);

        assertThat(jdbc.queryForObject("select amount from spring_accounts where id = 1", Long.class))
                .isEqualTo(301);
        assertThat(retries.metrics().stats("Accounts.add").conflicts()).isEqualTo(3);
    }

    @Test
    void noUpdateIsLostAmongManyThreads() throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(4);
        try {
            List<Callable<Void>> tasks = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                tasks.add(() -> {
                    for (int i = 0; i < 15; i++) {
                        accounts.add(1, () -> {});
                    }
                    return null;
                });
            }
            for (Future<Void> each : executor.invokeAll(tasks, 5, TimeUnit.MINUTES)) {
                each.get();
            }
        } finally {
            executor.shutdownNow();
        }
        assertThat(jdbc.queryForObject("select amount from spring_accounts where id = 1", Long.class))
                .isEqualTo(60);
    }

    @Test
    void whoeverBeganTheTransactionIsRunAgainNotWhoJoinedIt() {
        accounts.addInSameTransaction(overtaken(1, 1));

        assertThat(accounts.runs()).isEqualTo(2);
        assertThat(spring.getBean(InnerService.class).runs()).isEqualTo(2);
        assertThat(retries.metrics().stats("InnerService.joining").conflicts()).isZero();
        assertThat(jdbc.queryForObject("select amount from spring_accounts where id = 1", Long.class))
                .isEqualTo(101);
    }

    @Test
    void oneThatIsAlwaysItsOwnIsRunAgainByItself() {
        // Its own transaction begins after the outside change, so there is no conflict; that it is counted shows who
        // ran it.
        accounts.addInOwnTransaction(overtaken(2, 1));

        assertThat(retries.metrics().stats("InnerService.alone").committed()).isEqualTo(1);
        assertThat(accounts.runs()).isEqualTo(1);
    }

    @Test
    void aTransactionBegunByATemplateIsTheTemplatesAffair() {
        TransactionTemplate template = new TransactionTemplate(spring.getBean(PlatformTransactionManager.class));

        assertThatThrownBy(() -> template.execute(status -> accounts.add(1, overtaken(1, 1))))
                .isInstanceOf(ConcurrencyFailureException.class)
                .hasRootCauseInstanceOf(SQLException.class);
        assertThat(accounts.runs()).isEqualTo(1);
    }

    @Test
    void whereNoTransactionBeginsNothingIsRunTwice() {
        assertThatThrownBy(() -> accounts.withoutTransaction(unavailable()))
                .isInstanceOf(TransientDataAccessResourceException.class);
        assertThat(accounts.runs()).isEqualTo(1);
        accounts.notTransactional(() -> {});
    }

    @Test
    void anUnavailableServerMayHaveCommittedSoOnlyReadersAreRunAgain() {
        DataAccessException error = unavailable();
        assertThatThrownBy(() -> accounts.fail(error)).isSameAs(error);
        assertThat(accounts.runs()).isEqualTo(1);

        AtomicInteger times = new AtomicInteger();
        assertThat(accounts.look(() -> {
                    if (times.getAndIncrement() == 0) {
                        throw unavailable();
                    }
                }))
                .isZero();
        assertThat(times).hasValue(2);
    }

    private long amount(int id) {
        return jdbc.queryForObject("select amount from spring_accounts where id = ?", Long.class, id);
    }

    private static SQLException conflict() {
        return new SQLException("change conflicts with another transaction (OC000)", "40001");
    }

    @Test
    void whatSpringCommitsThoughAnExceptionComesIsNotDoneTwice() {
        Exception error = new Exception("of another database", conflict());
        assertThatThrownBy(() -> accounts.commitAndThrow(error)).isSameAs(error);

        assertThat(accounts.runs()).isEqualTo(1);
        assertThat(amount(1)).isEqualTo(1);
        assertThat(retries.metrics().stats("Accounts.commitAndThrow").committed())
                .isEqualTo(1);
    }

    @Test
    void norWhatFailsAfterTheCommit() {
        RuntimeException error = new ConcurrencyFailureException("of another database", conflict());
        assertThatThrownBy(() -> accounts.failAfterTheCommit(error)).isSameAs(error);

        assertThat(accounts.runs()).isEqualTo(1);
        assertThat(amount(1)).isEqualTo(1);
    }

    @Test
    void theCommitOfAnInnerTransactionIsNotThatOfTheOuter() {
        accounts.failWithTheInnerOneCommitted(overtaken(1, 1));

        assertThat(accounts.runs()).isEqualTo(2);
        assertThat(amount(1)).isEqualTo(101);
    }

    @Test
    void withoutTheListenerSpringsRuleForRollingBackDecides() {
        AtomicInteger runs = new AtomicInteger();
        Exception checked = new Exception("of another database", conflict());
        Callable<Void> target = () -> {
            runs.incrementAndGet();
            throw checked;
        };
        ProxyFactory factory = new ProxyFactory(Callable.class, new SingletonTargetSource(target));
        MatchAlwaysTransactionAttributeSource always = new MatchAlwaysTransactionAttributeSource();
        factory.addAdvice(new RetryingTransactionInterceptor(retries, always));
        factory.addAdvice(new TransactionInterceptor(
                (TransactionManager) new JdbcTransactionManager(spring.getBean(DataSource.class)), always));

        assertThatThrownBy(() -> ((Callable<?>) factory.getProxy()).call()).isSameAs(checked);
        assertThat(runs).hasValue(1);
    }

    @Test
    void otherErrorsComeAsSpringTranslatesThem() {
        assertThatThrownBy(() -> accounts.add(1, () -> jdbc.update("insert into spring_accounts values (1, 1)")))
                .isInstanceOf(DuplicateKeyException.class);
        assertThat(accounts.runs()).isEqualTo(1);
    }

    @Configuration
    @EnableTransactionManagement
    @Import(RetryingTransactionConfiguration.class)
    static class WithDefaults {
        @Bean
        PlatformTransactionManager transactionManager() {
            return new JdbcTransactionManager(RealPostgres.repeatableRead());
        }

        @Bean
        InnerService inner() {
            return new InnerService(new JdbcTemplate(RealPostgres.repeatableRead()));
        }
    }

    @Test
    void withoutRetriesOfOnesOwnTheDefaultsAreABeanWhoseMetricsCanBeRead() {
        try (AnnotationConfigApplicationContext defaults = new AnnotationConfigApplicationContext(WithDefaults.class)) {
            defaults.getBean(InnerService.class).joining(1);
            assertThat(defaults.getBean(Retries.class)
                            .metrics()
                            .stats("InnerService.joining")
                            .committed())
                    .isEqualTo(1);
        }
    }

    @Test
    void exhaustedRetriesAreAnExceptionThatSpringKnows() {
        assertThatThrownBy(() -> accounts.add(1, overtaken(1, 1_000)))
                .isInstanceOf(ConcurrencyFailureException.class)
                .hasMessageStartingWith("Accounts.add: gave up after 51 attempts")
                .hasCauseInstanceOf(RetriesExhaustedException.class);
        assertThat(jdbc.queryForObject("select amount from spring_accounts where id = 1", Long.class))
                .isEqualTo(5_100);
    }
}
