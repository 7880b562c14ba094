/** The Aurora DSQL client: tokens, limits, errors, transactions and ids. */
// The jars of the AWS SDK, Spring and the PostgreSQL driver are automatic modules: they have a module name but no
// descriptor.
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"})
module dev.reservoir.dsql {
    requires static org.jspecify;
    requires static com.zaxxer.hikari;
    requires static spring.aop;
    requires static spring.beans;
    requires static spring.context;
    requires static spring.core;
    requires static spring.tx;
    requires transitive dev.reservoir.jdbc;
    requires transitive software.amazon.awssdk.auth;
    requires java.management;
    requires org.postgresql.jdbc;
    requires org.slf4j;
    requires software.amazon.awssdk.http;
    requires software.amazon.awssdk.http.auth.aws;
    requires software.amazon.awssdk.http.auth.spi;
    requires software.amazon.awssdk.identity.spi;

    exports dev.reservoir.dsql;
    exports dev.reservoir.dsql.error;
    exports dev.reservoir.dsql.id;
    exports dev.reservoir.dsql.spring;
    exports dev.reservoir.dsql.tx;

    uses dev.reservoir.core.spi.BudgetProvider;

    provides dev.reservoir.jdbc.EnvironmentNames with
            dev.reservoir.dsql.connect.DsqlEnvironmentNames;
    provides java.sql.Driver with
            dev.reservoir.dsql.DsqlDriver;
}
