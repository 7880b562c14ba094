package dev.reservoir.remote.sys.port;

import java.util.regex.Pattern;

/** Answers the queries that psql sends for {@code \d}, {@code \dt} and {@code \dv}: they list the views. */
final class PsqlQueries {
    private static final Pattern LIST = Pattern.compile(
            "\\s*SELECT n\\.nspname as \"Schema\",\\s*c\\.relname as \"Name\",.*FROM pg_catalog\\.pg_class c.*",
            Pattern.DOTALL);

    private static final String VIEWS = "SELECT table_schema AS \"Schema\", table_name AS \"Name\", 'view' AS \"Type\","
            + " 'reservoir' AS \"Owner\" FROM information_schema.tables WHERE table_schema = 'sys' ORDER BY 1, 2";

    private PsqlQueries() {}

    /** The query that H2 can answer. Others than psql's are returned as they are. */
    static String translated(String sql) {
        return LIST.matcher(sql).matches() ? VIEWS : sql;
    }
}
