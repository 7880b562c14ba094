package com.example.orders;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.hibernate.SessionFactory;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** Uses a connection in the ways of several frameworks, and asks something while it is in use. */
public class OrderService {

    public String plain(DataSource dataSource, Supplier<String> question) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            return connection.isClosed() ? "closed" : question.get();
        }
    }

    public String hibernate(SessionFactory sessions, Supplier<String> question) {
        return sessions.fromTransaction(session -> {
            session.createNativeQuery("select 1", Integer.class).getSingleResult();
            return question.get();
        });
    }

    public String springTransaction(TransactionTemplate transaction, Supplier<String> question) {
        return Objects.requireNonNull(transaction.execute(status -> question.get()));
    }

    public String springQuery(JdbcTemplate jdbc, Supplier<String> question) {
        return Objects.requireNonNull(jdbc.queryForObject("select 1", (row, number) -> question.get()));
    }

    public String jooq(DataSource dataSource, Supplier<String> question) {
        return DSL.using(dataSource, SQLDialect.POSTGRES).transactionResult(transaction -> question.get());
    }
}
