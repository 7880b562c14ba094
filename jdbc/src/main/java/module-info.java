/** The JDBC door: a data source and a driver on top of the engine. */
module dev.reservoir.jdbc {
    requires static org.jspecify;
    requires transitive dev.reservoir.core;
    requires transitive java.naming;
    requires transitive java.sql;
    requires java.management;
    requires org.slf4j;

    exports dev.reservoir.jdbc;

    uses dev.reservoir.core.spi.BudgetProvider;
    uses dev.reservoir.jdbc.EnvironmentNames;
    uses java.sql.Driver;

    provides java.sql.Driver with
            dev.reservoir.jdbc.ReservoirDriver;
}
