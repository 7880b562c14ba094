package dev.reservoir.demo.fleet;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import dev.reservoir.dsql.DsqlTokens;
import javax.sql.DataSource;

/**
 * HikariCP with the settings of AWS's samples for Aurora DSQL, at the scale of the demo. Its connections log in with
 * tokens.
 */
public final class HikariServicePool implements ServicePool {
    private final String life;
    private final DsqlTokens tokens;
    private final TokenConnections connections;
    private final HikariDataSource hikari;

    public HikariServicePool(String life, EmulatedDatabase database) {
        this.life = life;
        tokens = database.tokens();
        connections = new TokenConnections(database, tokens, life);
        HikariConfig config = new HikariConfig();
        config.setPoolName(life);
        config.setDataSource(connections);
        config.setMaximumPoolSize(Scale.CONNECTIONS);
        config.setMinimumIdle(Scale.HIKARI_MINIMUM_IDLE);
        config.setMaxLifetime(Scale.HIKARI_LIFETIME.toMillis());
        // A service must also start while connects are refused.
        config.setInitializationFailTimeout(-1);
        hikari = new HikariDataSource(config);
    }

    @Override
    public DataSource dataSource() {
        return hikari;
    }

    @Override
    public Levels levels() {
        HikariPoolMXBean pool = hikari.getHikariPoolMXBean();
        if (pool == null || hikari.isClosed()) {
            return Levels.NONE;
        }
        int total = pool.getTotalConnections();
        int inUse = pool.getActiveConnections();
        int ready = Math.max(0, total - inUse);
        return new Levels(
                connections.connecting(),
                ready,
                inUse,
                Math.max(0, connections.opened() - total),
                pool.getThreadsAwaitingConnection(),
                total >= Scale.CONNECTIONS || ready >= Scale.HIKARI_MINIMUM_IDLE);
    }

    @Override
    public void crash() {
        ServiceSockets.cut(life);
        close();
    }

    @Override
    public void close() {
        hikari.close();
        tokens.close();
        ServiceSockets.forget(life);
    }
}
