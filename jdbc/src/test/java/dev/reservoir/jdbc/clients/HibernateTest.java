package dev.reservoir.jdbc.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.TestPostgres;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.junit.jupiter.api.Test;

/** Hibernate: schema, sessions and transactions. */
class HibernateTest {

    /** The stored entity. */
    @Entity(name = "HibernateOrder")
    @Table(name = "hibernate_orders")
    static class Order {
        @Id
        @GeneratedValue
        Long id;

        String what;

        Order() {}

        Order(String what) {
            this.what = what;
        }
    }

    @Test
    void entitiesAreStoredFoundAndRolledBack() {
        try (ReservoirDataSource dataSource =
                ReservoirDataSource.builder().url(TestPostgres.url()).maxOpen(2).build()) {
            Configuration configuration = new Configuration().addAnnotatedClass(Order.class);
            configuration.getProperties().put("hibernate.connection.datasource", dataSource);
            configuration.setProperty("hibernate.hbm2ddl.auto", "create-drop");
            try (SessionFactory sessions = configuration.buildSessionFactory()) {
                Long id = sessions.fromTransaction(session -> {
                    Order order = new Order("tea");
                    session.persist(order);
                    return order.id;
                });
                assertThatThrownBy(() -> sessions.inTransaction(session -> {
                            session.persist(new Order("lost"));
                            session.flush();
                            throw new IllegalStateException("changed my mind");
                        }))
                        .isInstanceOf(IllegalStateException.class);

                String found = sessions.fromSession(session -> session.find(Order.class, id).what);
                long count =
                        sessions.fromSession(session -> session.createSelectionQuery("from HibernateOrder", Order.class)
                                .getResultCount());
                assertThat(found).isEqualTo("tea");
                assertThat(count).isEqualTo(1);
                assertThat(dataSource.stats().inUse()).isZero();
            }
            assertThat(dataSource.stats().opened()).isEqualTo(2);
        }
    }
}
