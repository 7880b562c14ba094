package dev.reservoir.spring.boot.watch;

import dev.reservoir.jdbc.ReservoirDataSource;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;

/**
 * The running reservoirs among the beans of an application: those that are data sources, and those behind a wrapper, a
 * proxy or Aurora DSQL's data source. Never creates a prototype.
 */
public final class ReservoirPools {
    private static final Logger log = LoggerFactory.getLogger(ReservoirPools.class);

    private final ListableBeanFactory beans;

    /** Looks among these beans. */
    public ReservoirPools(ListableBeanFactory beans) {
        this.beans = beans;
    }

    /** Those that run now, in the order of the beans. */
    public List<ReservoirDataSource> running() {
        Set<ReservoirDataSource> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        List<ReservoirDataSource> running = new ArrayList<>();
        for (DataSource bean :
                beans.getBeansOfType(DataSource.class, false, false).values()) {
            ReservoirDataSource pool = unwrap(bean);
            if (pool != null && pool.isRunning() && seen.add(pool)) {
                running.add(pool);
            }
        }
        return running;
    }

    /** The running reservoir of this name, or null. */
    @Nullable
    ReservoirDataSource find(String name) {
        return running().stream()
                .filter(pool -> name.equals(pool.getName()))
                .findFirst()
                .orElse(null);
    }

    /**
     * The reservoir behind a data source, or null if there is none. Spring's own wrappers pass the question on. One
     * that routes may refuse to answer, and then its targets are beans of their own. The look-up of its key, or of a
     * scoped bean, is code of the application and may throw anything outside a request.
     */
    static @Nullable ReservoirDataSource unwrap(DataSource dataSource) {
        try {
            return dataSource.isWrapperFor(ReservoirDataSource.class)
                    ? dataSource.unwrap(ReservoirDataSource.class)
                    : null;
        } catch (SQLException | RuntimeException e) {
            log.debug("Reservoir: a data source did not say what it wraps  type={}", dataSource.getClass(), e);
            return null;
        }
    }

    /** The name of a running reservoir. */
    static String name(ReservoirDataSource pool) {
        return String.valueOf(pool.getName());
    }
}
