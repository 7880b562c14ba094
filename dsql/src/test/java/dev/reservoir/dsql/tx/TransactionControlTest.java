package dev.reservoir.dsql.tx;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Transaction control is found wherever a statement begins, and nowhere else. */
class TransactionControlTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            COMMIT                                              | COMMIT
            commit                                              | COMMIT
            Commit work;                                        | COMMIT
            end                                                 | END
            ROLLBACK                                            | ROLLBACK
            rollback to savepoint a                             | ROLLBACK
            abort                                               | ABORT
            BEGIN                                               | BEGIN
            begin isolation level repeatable read               | BEGIN
            start transaction                                   | START TRANSACTION
            start/**/transaction read only                      | START TRANSACTION
            savepoint a                                         | SAVEPOINT
            release savepoint a                                 | RELEASE
            prepare transaction 'x'                             | PREPARE TRANSACTION
            commit prepared 'x'                                 | COMMIT
            /* a comment */ commit                              | COMMIT
            /* a /* comment */ in another */commit/* after */   | COMMIT
            ;;; commit                                          | COMMIT
            select 1; commit                                    | COMMIT
            select 1;commit;select 2                            | COMMIT
            select 'it''s; '; commit                            | COMMIT
            select E'a\\\\'; commit                             | COMMIT
            select E'it\\'s; '; commit                          | COMMIT
            select 'a\\'; commit                                | COMMIT
            select ";" from t; commit                           | COMMIT
            select "a"";"; commit                               | COMMIT
            select $$;$$; commit                                | COMMIT
            select $a$ $$ ; $b$ $a$; commit                     | COMMIT
            select $1; commit                                   | COMMIT
            select a$b; commit                                  | COMMIT
            (select 1); commit                                  | COMMIT
            prepare p as select 1; commit                       | COMMIT
            create function f() returns int begin atomic select case when true then 1 end; end; commit | COMMIT
            """)
    void isFound(String sql, String found) {
        assertThat(TransactionControl.in(sql)).isEqualTo(found);
    }

    @Test
    void isFoundBehindLineComments() {
        assertThat(TransactionControl.in("-- first\n  -- 'second\ncommit")).isEqualTo("COMMIT");
        assertThat(TransactionControl.in("select 1 -- it's;\n; commit")).isEqualTo("COMMIT");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "   ",
                ";",
                "select 1",
                "select commit from t",
                "select 'commit'; select '; commit'",
                "select $$; commit$$",
                "select $tag$; commit; $$ $tag$",
                "select \"; commit\" from t",
                "-- commit",
                "/* commit */",
                "/* ; commit",
                "select 'never closed; commit",
                "select \"never closed; commit",
                "select $$ never closed; commit",
                "update t set a = case when b then 1 else 2 end",
                "commits",
                "commit_log",
                "\"commit\"",
                "insert into t values ('a;b'); delete from commit",
                "start replication",
                "prepare p as select 1",
                "prepare transaction_log as select 1",
                "execute commit_all",
                "create function f() returns int begin atomic select 1; select 2; end",
                "create or replace function f() returns int begin atomic select case when true then 1 end; end; select 1",
                "create function f() returns void language plpgsql as $$ begin commit; end $$",
                "do $$ begin commit; end $$",
                "{call commit_all()}",
                "select E'\\'; commit",
                "set transaction read only"
            })
    void isNotFoundElsewhere(String sql) {
        assertThat(TransactionControl.in(sql)).isNull();
    }
}
