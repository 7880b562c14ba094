package dev.reservoir.bench.pools;

import com.mchange.v2.c3p0.ComboPooledDataSource;
import com.zaxxer.hikari.HikariDataSource;
import dev.reservoir.jdbc.ReservoirDataSource;
import io.agroal.api.AgroalDataSource;
import java.net.URL;
import java.security.CodeSource;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.commons.dbcp2.BasicDataSource;
import org.vibur.dbcp.ViburDBCPDataSource;

/** The pools that the benchmarks compare. */
public enum PoolKind {
    RESERVOIR("reservoir", "Reservoir", ReservoirDataSource.class),
    HIKARICP("hikaricp", "HikariCP", HikariDataSource.class),
    AGROAL("agroal", "Agroal", AgroalDataSource.class),
    AGROAL_BARE("agroal-bare", "Agroal, bare", AgroalDataSource.class),
    VIBUR("vibur", "Vibur", ViburDBCPDataSource.class),
    TOMCAT("tomcat", "Tomcat JDBC", org.apache.tomcat.jdbc.pool.DataSource.class),
    C3P0("c3p0", "c3p0", ComboPooledDataSource.class),
    DBCP2("dbcp2", "DBCP2", BasicDataSource.class);

    private static final Pattern JAR_VERSION = Pattern.compile("-(\\d[^/]*)\\.jar$");

    private final String id;
    private final String title;
    private final Class<?> entry;

    PoolKind(String id, String title, Class<?> entry) {
        this.id = id;
        this.title = title;
        this.entry = entry;
    }

    /** The name on the command line. */
    public String id() {
        return id;
    }

    /** The name in result files and tables. */
    public String title() {
        return title;
    }

    /**
     * Starts a pool. Some pools fill before this returns, others after. Some throw if the database refuses their first
     * connect.
     */
    public PoolUnderTest open(PoolSettings settings) throws SQLException {
        return switch (this) {
            case RESERVOIR -> Pools.reservoir(settings);
            case HIKARICP -> Pools.hikari(settings);
            case AGROAL -> Pools.agroal(settings, false);
            case AGROAL_BARE -> Pools.agroal(settings, true);
            case VIBUR -> Pools.vibur(settings);
            case TOMCAT -> Pools.tomcat(settings);
            case C3P0 -> Pools.c3p0(settings);
            case DBCP2 -> Pools.dbcp2(settings);
        };
    }

    /** The version from the name of the jar, or "here" if the classes do not come from a jar. */
    public String version() {
        CodeSource source = entry.getProtectionDomain().getCodeSource();
        URL location = source == null ? null : source.getLocation();
        Matcher matcher = JAR_VERSION.matcher(location == null ? "" : location.getPath());
        return matcher.find() ? matcher.group(1) : "here";
    }

    public static PoolKind byId(String id) {
        return Arrays.stream(values())
                .filter(kind -> kind.id.equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("pool = " + id + ", allowed: "
                        + Arrays.stream(values()).map(PoolKind::id).collect(Collectors.joining(", "))));
    }

    /** Pools by their names, separated by commas, or every pool for "all". */
    public static List<PoolKind> parse(String ids) {
        return ids.equals("all")
                ? List.of(values())
                : Arrays.stream(ids.split(",", -1)).map(PoolKind::byId).toList();
    }
}
