package dev.reservoir.flightsql.sql;

import java.util.List;
import java.util.Set;

/**
 * What a statement does to data and to its session, as far as its text shows. When in doubt, the answer is the one that
 * costs a retry or a connection, never the one that runs a write twice or passes on somebody's session state.
 */
public enum StatementKind {
    /** One statement that only reads. It can be sent again. */
    READ,
    /** Changes shared data, and leaves nothing behind in the session. */
    WRITE,
    /** May leave something behind in the session: a setting, a temporary table, a transaction. */
    SESSION;

    private static final Set<String> READS = Set.of(
            "SELECT", "VALUES", "FROM", "TABLE", "WITH", "SHOW", "DESCRIBE", "DESC", "SUMMARIZE", "EXPLAIN", "(");

    /** Words that never occur outside quotes in a statement that only reads, or are rare there. */
    private static final Set<String> WRITES = Set.of(
            "INSERT",
            "UPDATE",
            "DELETE",
            "MERGE",
            "REPLACE",
            "TRUNCATE",
            "INTO",
            "CREATE",
            "DROP",
            "ALTER",
            "COPY",
            "CALL",
            "EXECUTE",
            "GRANT",
            "REVOKE",
            "ANALYZE",
            "NEXTVAL",
            "SETVAL",
            "LOCK",
            "SHARE",
            "EXPORT",
            "IMPORT");

    /** Statements that change shared data only. */
    private static final Set<String> CHANGES_OF_DATA = Set.of(
            "INSERT",
            "UPDATE",
            "DELETE",
            "MERGE",
            "REPLACE",
            "TRUNCATE",
            "COPY",
            "COMMENT",
            "ANALYZE",
            "VACUUM",
            "CHECKPOINT",
            "GRANT",
            "REVOKE",
            "DROP",
            "EXPORT");

    private static final Set<String> SHARED_OBJECTS =
            Set.of("TABLE", "VIEW", "INDEX", "SCHEMA", "SEQUENCE", "TYPE", "FUNCTION", "MACRO", "DATABASE");

    private static final Set<String> SESSION_OBJECTS =
            Set.of("TEMP", "TEMPORARY", "LOCAL", "GLOBAL", "SESSION", "SECRET");

    /** How many words after CREATE may name the kind of object, such as OR REPLACE UNIQUE INDEX. */
    private static final int NAMING_WORDS = 4;

    /** Finds the kind of a text, which may contain several statements. */
    public static StatementKind of(String sql) {
        List<String> words = SqlWords.of(sql);
        while (!words.isEmpty() && words.get(words.size() - 1).equals(";")) {
            words = words.subList(0, words.size() - 1);
        }
        if (words.isEmpty() || words.contains(";")) {
            return SESSION;
        }
        String first = words.get(0);
        if (READS.contains(first)) {
            return ofRead(words);
        }
        if (CHANGES_OF_DATA.contains(first)) {
            return WRITE;
        }
        return (first.equals("CREATE") || first.equals("ALTER")) && namesSharedObject(words) ? WRITE : SESSION;
    }

    private static StatementKind ofRead(List<String> words) {
        boolean intoTemporary = words.contains("INTO") && (words.contains("TEMP") || words.contains("TEMPORARY"));
        if (intoTemporary || words.contains("SET_CONFIG")) {
            return SESSION;
        }
        return words.stream().anyMatch(WRITES::contains) ? WRITE : READ;
    }

    private static boolean namesSharedObject(List<String> words) {
        List<String> naming = words.subList(1, Math.min(words.size(), 1 + NAMING_WORDS));
        return naming.stream().anyMatch(SHARED_OBJECTS::contains)
                && naming.stream().noneMatch(SESSION_OBJECTS::contains);
    }
}
