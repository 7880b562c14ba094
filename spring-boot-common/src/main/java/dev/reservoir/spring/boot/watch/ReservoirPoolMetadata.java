package dev.reservoir.spring.boot.watch;

import dev.reservoir.core.Counts;
import dev.reservoir.jdbc.ReservoirDataSource;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.jdbc.metadata.AbstractDataSourcePoolMetadata;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadata;

/** The numbers of a reservoir for Spring Boot's own meters, {@code jdbc.connections.*}. */
public final class ReservoirPoolMetadata extends AbstractDataSourcePoolMetadata<ReservoirDataSource> {

    private ReservoirPoolMetadata(ReservoirDataSource dataSource) {
        super(dataSource);
    }

    /** The metadata of the reservoir behind a data source, or null if there is none. */
    public static @Nullable DataSourcePoolMetadata of(DataSource dataSource) {
        ReservoirDataSource pool = ReservoirPools.unwrap(dataSource);
        return pool == null ? null : new ReservoirPoolMetadata(pool);
    }

    private @Nullable Counts counts() {
        ReservoirDataSource pool = getDataSource();
        return pool.isRunning() ? pool.counts() : null;
    }

    @Override
    public @Nullable Integer getActive() {
        Counts counts = counts();
        return counts == null ? null : (Integer) counts.inUse();
    }

    @Override
    public @Nullable Integer getIdle() {
        Counts counts = counts();
        return counts == null ? null : (Integer) counts.ready();
    }

    @Override
    public Integer getMax() {
        return getDataSource().getMaxOpen();
    }

    @Override
    public Integer getMin() {
        return getDataSource().getTargetReady();
    }

    @Override
    public @Nullable String getValidationQuery() {
        return getDataSource().getValidationQuery();
    }

    @Override
    public @Nullable Boolean getDefaultAutoCommit() {
        return getDataSource().getAutoCommit();
    }
}
