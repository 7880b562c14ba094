package dev.reservoir.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.jdbc.ReservoirDataSource;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import javax.management.ObjectName;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** The names of data sources, several contexts in one process, and the end of a context. */
class NamesAndEndTest {
    private static boolean isInJmx(String name) throws Exception {
        return ManagementFactory.getPlatformMBeanServer()
                .isRegistered(new ObjectName("dev.reservoir:type=ReservoirDataSource,name=" + name));
    }

    private static ReservoirDataSource dataSource(ApplicationContext context) {
        return context.getBean(ReservoirDataSource.class);
    }

    @Test
    void theNameIsTheBeansUnlessAPropertyGivesOne() {
        Contexts.onPostgres()
                .run(context -> assertThat(dataSource(context).getName()).isEqualTo("dataSource"));
        Contexts.onPostgres()
                .withPropertyValues("spring.datasource.name=orders")
                .run(context -> assertThat(dataSource(context).getName()).isEqualTo("orders"));
    }

    /** Test frameworks keep contexts, and Spring Boot may have JMX on. */
    @Test
    void twoContextsOfOneNameRunSideBySide() throws Exception {
        ApplicationContextRunner runner =
                Contexts.onPostgres().withPropertyValues("spring.datasource.name=twice", "spring.jmx.enabled=true");
        runner.run(first -> runner.run(second -> {
            assertThat(dataSource(first).getName()).isEqualTo("twice");
            assertThat(dataSource(second).getName()).isEqualTo("twice-2");
            assertThat(isInJmx("twice")).isTrue();
            assertThat(isInJmx("twice-2")).isTrue();
            dataSource(first).getConnection().close();
            dataSource(second).getConnection().close();
        }));
        assertThat(isInJmx("twice")).isFalse();
        runner.run(third -> assertThat(dataSource(third).getName()).isEqualTo("twice"));
    }

    @Test
    void withoutJmxInSpringBootNothingIsRegistered() {
        Contexts.onPostgres()
                .withPropertyValues("spring.datasource.name=hidden")
                .run(context -> {
                    assertThat(dataSource(context).isRunning()).isTrue();
                    assertThat(isInJmx("hidden")).isFalse();
                });
    }

    @Test
    void theEndOfAContextWaitsForAConnectionInUse() {
        Contexts.onPostgres()
                .withPropertyValues("spring.datasource.reservoir.drain-timeout=1m")
                .run(context -> {
                    ReservoirDataSource dataSource = dataSource(context);
                    Connection connection = dataSource.getConnection();
                    AtomicReference<Throwable> failure = new AtomicReference<>();
                    Thread closing = new Thread(context::close, "closing");
                    closing.setUncaughtExceptionHandler((thread, error) -> failure.set(error));
                    closing.start();
                    Awaitility.await().atMost(30, TimeUnit.SECONDS).until(dataSource::isClosed);

                    assertThat(closing.isAlive()).isTrue();
                    assertThat(connection
                                    .createStatement()
                                    .executeQuery("select 1")
                                    .next())
                            .isTrue();
                    connection.close();
                    closing.join(30_000);

                    assertThat(closing.isAlive()).isFalse();
                    assertThat(failure.get()).isNull();
                    assertThat(dataSource.counts().size()).isZero();
                });
    }
}
