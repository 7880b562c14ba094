package dev.reservoir.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.reservoir.core.Pooled;
import dev.reservoir.core.spi.Credentials;
import dev.reservoir.core.spi.Listener;
import dev.reservoir.jdbc.config.DataSourceThreads;
import dev.reservoir.jdbc.pool.DataSourceRegistry;
import java.sql.SQLException;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.BeanWrapperImpl;

/** Objects of the user can be given by the names of their classes. */
class ClassNamesTest {
    private static final List<String> HEARD = new CopyOnWriteArrayList<>();

    @BeforeEach
    void forget() {
        HEARD.clear();
    }

    /** Logs in as its own user. */
    public static final class Clerk implements Credentials {
        @Override
        public CompletionStage<Credential> current() {
            return CompletableFuture.completedFuture(new Credential("clerk", "s3cret"));
        }
    }

    /** Calls a connection bad after every error. */
    public static final class Strict implements ErrorRule {
        @Override
        public boolean isBad(SQLException error) {
            return true;
        }
    }

    /** Records its class name for each opened connection. */
    public static class First implements Listener<Object> {
        @Override
        public void opened(Pooled<Object> connection, long openNanos) {
            HEARD.add(getClass().getSimpleName());
        }
    }

    /** A second listener. */
    public static final class Second extends First {}

    /** Makes threads with other names that are not daemons. */
    public static final class Threads implements ThreadFactory {
        @Override
        public Thread newThread(Runnable task) {
            return new Thread(task, "whatever");
        }
    }

    /** Cannot be created. */
    public static final class Failing implements ErrorRule {
        public Failing() {
            throw new IllegalStateException("not today");
        }

        @Override
        public boolean isBad(SQLException error) {
            return false;
        }
    }

    @Test
    void theyAreMadeAndUsed() throws SQLException {
        FakeDatabase database = FakeDatabase.FakeDriver.database("by-name");
        Properties properties = new Properties();
        properties.setProperty("url", "jdbc:fake:by-name");
        properties.setProperty("driverClassName", FakeDatabase.FakeDriver.class.getName());
        properties.setProperty("maxOpen", "1");
        properties.setProperty("credentials", Clerk.class.getName());
        properties.setProperty("errorRule", Strict.class.getName());
        properties.setProperty("listener", First.class.getName() + ", " + Second.class.getName());
        properties.setProperty("threadFactory", Threads.class.getName());
        try (ReservoirDataSource dataSource =
                ReservoirDataSource.fromProperties(properties).build()) {
            dataSource.getConnection().close();

            assertThat(database.logins.get(0)).containsEntry("user", "clerk").containsEntry("password", "s3cret");
            await().untilAsserted(() -> assertThat(HEARD).contains("First", "Second"));
            assertThatThrownBy(() -> dataSource.getConnection("clerk", "s3cret"))
                    .as("a login that is not one of the settings")
                    .isInstanceOf(SQLException.class);
        }
    }

    @Test
    void aReferenceHoldsTheirNames() throws Exception {
        ReservoirDataSource before = new ReservoirDataSource();
        before.setUrl("jdbc:fake:by-name");
        before.setErrorRule(Strict.class.getName());
        before.setCredentials(Clerk.class.getName());
        before.setListener(First.class.getName());
        before.setThreadFactory(Threads.class.getName());

        ReservoirDataSource after = (ReservoirDataSource)
                new ReservoirDataSourceFactory().getObjectInstance(before.getReference(), null, null, null);

        assertThat(after.getErrorRule()).isEqualTo(Strict.class.getName());
        assertThat(after.getCredentials()).isEqualTo(Clerk.class.getName());
        assertThat(after.getListener()).isEqualTo(First.class.getName());
        assertThat(after.getThreadFactory()).isEqualTo(Threads.class.getName());
    }

    @Test
    void theOneThatWasGivenLastCounts() {
        ReservoirDataSource bean = new ReservoirDataSource();
        bean.setErrorRule(Strict.class.getName());
        bean.setErrorRule(e -> false);
        assertThat(bean.getErrorRule()).isInstanceOf(ErrorRule.class);
        assertThat(bean.config.userObjects().errorRule()).isNotInstanceOf(Strict.class);

        bean.setErrorRule(Strict.class.getName());
        assertThat(bean.config.userObjects().errorRule()).isInstanceOf(Strict.class);
    }

    @Test
    void frameworksMaySetObjectsAndNames() {
        ReservoirDataSource bean = new ReservoirDataSource();
        BeanWrapperImpl wrapper = new BeanWrapperImpl(bean);
        Clerk clerk = new Clerk();

        wrapper.setPropertyValue("credentials", clerk);
        wrapper.setPropertyValue("errorRule", Strict.class.getName());
        assertThatThrownBy(() -> bean.setThreadFactory(5))
                .hasMessage(
                        "threadFactory is a java.lang.Integer; allowed: a java.util.concurrent.ThreadFactory, or the"
                                + " name of its class");

        assertThat(bean.config.userObjects().credentials()).isSameAs(clerk);
        assertThat(bean.config.userObjects().errorRule()).isInstanceOf(Strict.class);
    }

    @ParameterizedTest
    @CsvSource({
        "errorRule, no.such.Rule",
        "errorRule, java.lang.String",
        "credentials, java.lang.Integer",
        "listener, java.lang.Object",
        "threadFactory, java.util.concurrent.ThreadFactory"
    })
    void aClassThatIsNotSuitableIsRefusedBeforeAnythingStarts(String key, String className) {
        ReservoirDataSource bean = new ReservoirDataSource();
        bean.setName("unsuitable");
        bean.setDataSource(new FakeDatabase());
        bean.config.setText(key, className);

        assertThatThrownBy(bean::start)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(
                        key + " is " + className + "; allowed: a public class on the class path that is a ")
                .hasMessageContaining("and has a public constructor without parameters");
        assertThat(DataSourceRegistry.names()).doesNotContain("unsuitable");
    }

    @Test
    void aConstructorThatFailsIsToldApart() {
        ReservoirDataSource bean = new ReservoirDataSource();
        bean.setDataSource(new FakeDatabase());
        bean.setErrorRule(Failing.class.getName());

        assertThatThrownBy(bean::start)
                .hasMessage("errorRule is " + Failing.class.getName() + "; allowed: a class whose constructor does not"
                        + " fail (java.lang.IllegalStateException: not today)");
    }

    @Test
    void threadsOfAFactoryAreNamedAndDaemonsAllTheSame() {
        DataSourceThreads threads = new DataSourceThreads(new Threads());

        Thread one = threads.named("reservoir-orders").newThread(() -> {});

        assertThat(one.getName()).isEqualTo("reservoir-orders");
        assertThat(one.isDaemon()).isTrue();
        assertThatThrownBy(() -> new DataSourceThreads(task -> null)
                        .named("reservoir-orders")
                        .newThread(() -> {}))
                .hasMessage("threadFactory made no thread for reservoir-orders");
        assertThatThrownBy(() -> new DataSourceThreads(task -> {
                            throw new SecurityException("not now");
                        })
                        .named("reservoir-orders")
                        .newThread(() -> {}))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessage("threadFactory failed to make a thread for reservoir-orders")
                .hasRootCauseMessage("not now");
    }
}
