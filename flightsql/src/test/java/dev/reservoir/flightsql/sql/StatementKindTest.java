package dev.reservoir.flightsql.sql;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whether a statement may be sent again, and whether its connection may be passed on. */
class StatementKindTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT 1",
                "  -- INSERT\n select * from t /* DELETE /* nested */ FROM t */ ;;",
                "WITH a AS (SELECT 1) SELECT * FROM a",
                "(SELECT 1) UNION (SELECT 2)",
                "FROM t",
                "VALUES (1)",
                "SELECT 'DELETE FROM t; DROP TABLE t'",
                "SELECT \"update\", `insert` FROM t",
                "SELECT $$ DROP TABLE t; $$",
                "SELECT $1, $tag$ INSERT $tag$ FROM t",
                "SELECT 'it''s; UPDATE' || E'\\'; DELETE' AS x",
                "SELECT local, session, global FROM t",
                "SHOW TABLES",
                "DESCRIBE t",
                "EXPLAIN SELECT 1"
            })
    void reads(String sql) {
        assertThat(StatementKind.of(sql)).isEqualTo(StatementKind.READ);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO t SELECT 1",
                "WITH gone AS (DELETE FROM t RETURNING *) SELECT * FROM gone",
                "WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a",
                "SELECT * INTO copy FROM t",
                "SELECT nextval('s')",
                "SELECT * FROM t FOR UPDATE",
                "EXPLAIN ANALYZE DELETE FROM t",
                "/* SELECT */ DELETE FROM t",
                "UPDATE t SET x = 1",
                "MERGE INTO t USING s ON true WHEN MATCHED THEN DELETE",
                "CREATE TABLE t (x INT)",
                "CREATE OR REPLACE TABLE t AS SELECT 1",
                "CREATE UNIQUE INDEX i ON t (x)",
                "ALTER TABLE t ADD COLUMN y INT",
                "DROP TABLE t",
                "COPY t TO 'file'"
            })
    void writesAndLeavesNothingInTheSession(String sql) {
        assertThat(StatementKind.of(sql)).isEqualTo(StatementKind.WRITE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-- nothing",
                "SET threads = 1",
                "BEGIN",
                "START TRANSACTION",
                "CREATE TEMP TABLE t AS SELECT 1",
                "create or replace temporary view v as select 1",
                "SELECT * INTO TEMP t FROM s",
                "SELECT set_config('a', 'b', false)",
                "SELECT 1; SELECT 2",
                "USE other",
                "ATTACH 'file' AS f",
                "PRAGMA threads = 1",
                "PREPARE p AS SELECT 1",
                "CREATE SECRET s (TYPE s3)",
                "LOAD spatial",
                "ALTER SESSION SET x = 1",
                "garbage"
            })
    void mayLeaveSomethingInTheSession(String sql) {
        assertThat(StatementKind.of(sql)).isEqualTo(StatementKind.SESSION);
    }
}
