package dev.reservoir.spring.boot.watch;

import dev.reservoir.jdbc.ReservoirDataSource;
import java.sql.SQLException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;

/**
 * The reservoirs among the beans of an application: those that are data sources, and those behind a wrapper, a proxy or
 * Aurora DSQL's data source. Never creates a prototype.
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
        return all().values().stream().filter(ReservoirDataSource::isRunning).toList();
    }

    /** All of them, whether they run or not, by the name of the bean, in the order of the beans. */
    Map<String, ReservoirDataSource> all() {
        Set<ReservoirDataSource> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Map<String, ReservoirDataSource> all = new LinkedHashMap<>();
        beans.getBeansOfType(DataSource.class, false, false).forEach((name, bean) -> {
            ReservoirDataSource pool = unwrap(bean);
            if (pool != null && seen.add(pool)) {
                all.put(name, pool);
            }
        });
        return all;
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
