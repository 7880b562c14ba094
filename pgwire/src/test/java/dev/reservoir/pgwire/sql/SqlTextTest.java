package dev.reservoir.pgwire.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SqlTextTest {
    private static List<String> statements(String sql) {
        return SqlText.split(sql).stream().map(SqlText::sql).toList();
    }

    @Test
    void semicolonsSeparateStatements() {
        assertThat(statements("select 1; select 2 ;; ")).containsExactly("select 1", "select 2 ");
        assertThat(SqlText.split("select 1; select 2").get(1).offset()).isEqualTo(10);
    }

    @Test
    void spaceAndCommentsAreNoStatement() {
        assertThat(statements(" -- nothing\n /* and /* nothing */ ; */ ;")).isEmpty();
    }

    @Test
    void aSemicolonInsideAStringANameAFunctionOrParenthesesSeparatesNothing() {
        assertThat(statements("select ';', E'\\';', \";\", $a$;$a$, (;)")).hasSize(1);
        assertThat(statements(
                        "create function f() begin atomic select 1; select case when true then 2 end; end; select 3"))
                .hasSize(2)
                .endsWith("select 3");
    }
}
