package dev.reservoir.remote.sys;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What clients of PostgreSQL write, in words that H2 understands. */
class PostgresSyntaxTest {
    @Test
    void namesOfTheCatalogAreTranslated() {
        assertThat(PostgresSyntax.toH2("SELECT pg_catalog.pg_get_userbyid(c.relowner) FROM pg_catalog.pg_class c"))
                .isEqualTo("SELECT coalesce (c.relowner) FROM pg.pg_class c");
        assertThat(PostgresSyntax.toH2("SELECT a::pg_catalog.regtype::pg_catalog.text"))
                .isEqualTo("SELECT a::varchar ::varchar ");
    }

    @Test
    void operatorsCollationsAndEscapesAreTranslated() {
        assertThat(PostgresSyntax.toH2("SELECT a OPERATOR(pg_catalog.!~) 'x' COLLATE pg_catalog.default AND b"))
                .isEqualTo("SELECT a !~ 'x'  AND b");
        assertThat(PostgresSyntax.toH2("SELECT E'it''s\\n'")).isEqualTo("SELECT 'it''s\n' ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "SELECT 'pg_catalog.pg_class', \"E\" 'x' -- pg_catalog.pg_class",
                "SELECT e FROM sys.remote_pool_stats e",
                "SELECT * FROM pg_catalog.pg_settings",
                "SELECT pg_catalog.version()",
                "SELECT OPERATOR(",
                "SELECT pg_catalog.",
                "SELECT 'no end",
            })
    void everythingElseStays(String sql) {
        assertThat(PostgresSyntax.toH2(sql)).isEqualTo(sql);
    }
}
