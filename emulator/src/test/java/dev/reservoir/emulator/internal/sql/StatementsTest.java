package dev.reservoir.emulator.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.emulator.internal.sql.Statement.Kind;
import dev.reservoir.pgwire.PgError;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StatementsTest {
    private static Statement only(String sql) {
        List<Statement> statements = Statements.of(sql);
        assertThat(statements).as(sql).hasSize(1);
        return statements.get(0);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            set transaction isolation level serializable | 0A000 | Unsupported isolation level: SERIALIZABLE
            set local transaction read only | 0A000 | setting configuration parameter "TRANSACTION" not supported
            set session characteristics as transaction isolation level read committed | 0A000 | setting configuration parameter "default_transaction_isolation" not supported
            SET default_transaction_isolation = 'serializable' | 0A000 | setting configuration parameter "default_transaction_isolation" not supported
            set role reader | 0A000 | setting configuration parameter "role" not supported
            set local role reader | 0A000 | setting configuration parameter "role" not supported
            set client_min_messages to warning | 0A000 | setting configuration parameter "client_min_messages" not supported
            begin isolation level serializable | 0A000 | Unsupported isolation level: SERIALIZABLE
            start transaction isolation level read committed | 0A000 | Unsupported isolation level: READ COMMITTED
            discard all | 0A000 | unsupported statement: Discard
            truncate t | 0A000 | unsupported statement: Truncate
            listen c | 0A000 | unsupported statement: Listen
            notify c | 0A000 | unsupported statement: Notify
            vacuum t | 0A000 | unsupported VACUUM statement
            merge into t using s on true when matched then do nothing | 0A000 | unsupported statement: Merge
            savepoint a | 0A000 | unsupported transaction statement: SAVEPOINT
            release savepoint a | 0A000 | unsupported transaction statement: RELEASE
            rollback to savepoint a | 0A000 | unsupported transaction statement: ROLLBACK TO
            lock table t | 0A000 | unsupported statement: Lock
            declare c cursor for select 1 | 0A000 | unsupported statement: DeclareCursor
            do $$ begin end $$ | 0A000 | unsupported statement: Do
            select * from t for share | 0A000 | locking clauses other than FOR UPDATE/FOR KEY SHARE are not supported
            select * from t for no key update | 0A000 | locking clauses other than FOR UPDATE/FOR KEY SHARE are not supported
            select * from a join b on a.id = b.id where a.id = 1 for update | 0A000 | unsupported statement: FOR UPDATE on more than one table
            select * from a, b where a.id = 1 for update of a | 0A000 | unsupported statement: FOR UPDATE on more than one table
            with x as (select * from a, b for update) select 1 | 0A000 | unsupported statement: FOR UPDATE on more than one table
            select pg_advisory_lock(1) | 0A000 | unsupported statement: advisory lock
            select pg_try_advisory_xact_lock(1) | 0A000 | unsupported statement: advisory lock
            select 1 into t | 0A000 | unsupported statement: CreateTableAs
            create table t as select 1 | 0A000 | unsupported statement: CreateTableAs
            create temp table t (id int) | 0A000 | TEMPORARY or TEMP table not supported for CREATE TABLE
            create unlogged table t (id int) | 0A000 | UNLOGGED table not supported for CREATE TABLE
            create materialized view v as select 1 | 0A000 | unsupported statement: CreateTableAs
            create trigger x after insert on t execute function f() | 0A000 | CREATE TRIGGER not supported
            create extension hstore | 0A000 | unsupported statement: CreateExtension
            create type mood as enum ('sad') | 0A000 | CREATE TYPE not supported
            create policy p on t | 0A000 | unsupported statement: CreatePolicy
            create database d | 0A000 | unsupported statement: Createdb
            create procedure p() language sql as '' | 0A000 | PROCEDURE is not supported
            create or replace function f() returns int language plpgsql as $$ begin end $$ | 0A000 | CREATE FUNCTION with language plpgsql not supported
            create table t (id int) partition by range (id) | 0A000 | PARTITION not supported for CREATE TABLE
            create table t (id int) inherits (s) | 0A000 | INHERITS not supported for CREATE TABLE
            create table t (id int) tablespace x | 0A000 | TABLESPACE not supported for CREATE TABLE
            create table t (id int) with (fillfactor = 70) | 0A000 | WITH not supported for CREATE TABLE
            create table t (id serial primary key) | 42704 | type "serial" does not exist
            create table t (a int, id bigserial) | 42704 | type "bigserial" does not exist
            create table if not exists s.t (tags text[]) | 0A000 | datatype text[] not supported
            create table t (tags int array) | 0A000 | datatype int array not supported
            create table t (price money) | 0A000 | datatype money not supported
            create table t (a int, ip inet not null) | 0A000 | datatype inet not supported
            create table t (name text collate "de_DE") | 0A000 | COLLATE not supported
            create table t (id int generated always as identity) | 0A000 | datatype integer not supported, identity column type must be bigint
            create table t (id bigint generated always as identity) | 0A000 | identity column is not supported without an explicit cache size. please define CACHE greater than or equal to 65536 or equal to 1
            create table t (id bigint generated by default as identity (cache 100)) | 0A000 | cache size 100 not supported; use 1 or at least 65536
            create sequence s | 0A000 | CREATE SEQUENCE is not supported without an explicit cache size. please define CACHE greater than or equal to 65536 or equal to 1
            create sequence s as int cache 1 | 0A000 | sequence type must be bigint
            create index i on t (a) | 0A000 | unsupported mode. please use CREATE INDEX ASYNC.
            create unique index i on t (a) | 0A000 | unsupported mode. please use CREATE INDEX ASYNC.
            create index concurrently i on t (a) | 0A000 | CONCURRENTLY not supported for CREATE INDEX
            create index async i on t using btree (a) | 0A000 | USING not supported for CREATE INDEX
            create index async i on t (a desc) | 0A000 | specifying sort order not supported for index keys
            create index async s.i on t (a) | 42601 | syntax error at or near "."
            alter table t add column c int not null | 0A000 | ALTER TABLE ADD COLUMN with constraint not supported
            alter table t add c int default 1 | 0A000 | ALTER TABLE ADD COLUMN with constraint not supported
            alter table t add column c serial | 42704 | type "serial" does not exist
            alter table t alter column c type bigint | 0A000 | unsupported ALTER TABLE ALTER COLUMN ... SET DATA TYPE statement
            alter table t alter c set not null | 0A000 | unsupported ALTER TABLE ALTER COLUMN ... SET NOT NULL statement
            alter table t add constraint u unique (a) | 0A000 | unsupported ALTER TABLE ADD CONSTRAINT statement
            alter table t add primary key (a) | 0A000 | unsupported ALTER TABLE ADD CONSTRAINT statement
            alter table t add constraint c check (a > 0) | 0A000 | unsupported ALTER TABLE ADD CONSTRAINT statement
            alter table t drop column b, alter c type text | 0A000 | unsupported ALTER TABLE ALTER COLUMN ... SET DATA TYPE statement
            alter table t validate constraint c | 0A000 | unsupported ALTER TABLE VALIDATE CONSTRAINT statement
            alter table t enable row level security | 0A000 | unsupported ALTER TABLE ROW LEVEL SECURITY statement
            """)
    void whatDsqlRefusesIsRefused(String sql, String code, String message) {
        PgError refusal = only(sql).refusal();
        assertThat(refusal).as(sql).isNotNull();
        assertThat(refusal.message()).isEqualTo(message);
        assertThat(refusal.code()).isEqualTo(code);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select 1",
                "select 'truncate t; for share'",
                "select 1 -- for share\n",
                "select /* for share */ 1",
                "select $x$ for share $x$",
                "select \"for\" from t",
                "select * from t where id = 1 for update",
                "select * from t where id in (select a.id from a join b on true) for update",
                "select * from t for key share",
                "select substring(a from 1 for 3) from a, b",
                "(select 1) union (select 2)",
                "begin",
                "begin isolation level repeatable read",
                "start transaction read only",
                "rollback",
                "set application_name = 'x'",
                "set search_path to a, b",
                "deallocate all",
                "create table t (id uuid primary key default gen_random_uuid(), n numeric(10, 2) check (n > 0))",
                "create table t (id bigint generated always as identity (cache 65536), name varchar(10))",
                "create table t (a int references s (id), unique (a), foreign key (a) references s (id))",
                "create table \"serial\" (\"money\" int)",
                "create sequence s cache 1",
                "create unique index async if not exists i on s.t (a, lower(b)) include (c) where a > 0",
                "create domain d as text",
                "create view v as select 1",
                "create function f() returns int language sql as 'select 1'",
                "create function f() returns int language sql begin atomic; select case when true then 1 end; end",
                "alter table t add column c int",
                "alter table t alter column c set default 1",
                "alter table t drop column c",
                "alter table t add constraint u unique using index i",
                "alter table t add constraint f foreign key (a) references s (id) not valid",
                "alter table async t validate constraint c",
                "alter role r login",
                "insert into t values (1) on conflict (id) do update set a = 1 returning *"
            })
    void whatDsqlTakesIsTaken(String sql) {
        assertThat(only(sql).refusal()).as(sql).isNull();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            begin | BEGIN
            start transaction | BEGIN
            commit | COMMIT
            END | COMMIT
            rollback | ROLLBACK
            abort | ROLLBACK
            create table t (id int) | DDL
            alter table t drop column c | DDL
            drop table t | DDL
            insert into t values (1) | DML
            update t set a = 1 | DML
            delete from t | DML
            copy t from stdin | DML
            copy t to stdout | OTHER
            with x as (insert into t values (1) returning *) select * from x | DML
            with x as (select 1) delete from t | DML
            with x as (select 1) select * from x | OTHER
            select 1 | OTHER
            select * from t where id = 1 for update | LOCKING
            with x as (select * from t for key share) select * from x | LOCKING
            select "for" from t | OTHER
            execute p (1) | EXECUTE
            """)
    void theKindIsWhatItDoesToATransaction(String sql, Kind kind) {
        assertThat(only(sql).kind()).isEqualTo(kind);
    }

    @Test
    void semicolonsSplitOnlyBetweenStatements() {
        String sql = "select ';'; ; select \"a;b\" /* ; /* ; */ ; */; select $q$;$q$, e'\\';' -- ;\n ; select (1; 2)";
        assertThat(Statements.of(sql))
                .extracting(statement -> statement.sql().strip())
                .containsExactly(
                        "select ';'",
                        "select \"a;b\" /* ; /* ; */ ; */",
                        "select $q$;$q$, e'\\';' -- ;",
                        "select (1; 2)");
    }

    @Test
    void offsetsPointIntoTheWholeText() {
        String sql = "  select 1;\n select 2";
        for (Statement statement : Statements.of(sql)) {
            assertThat(sql.substring(statement.offset())).startsWith(statement.sql());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "  ", ";", " ; ; ", "-- nothing", "/* open"})
    void nothingIsNoStatement(String sql) {
        assertThat(Statements.of(sql)).isEmpty();
    }

    @Test
    void theWordThatPostgresDoesNotKnowIsBlankedOut() {
        assertThat(only("create index async i on t (async)").sql()).isEqualTo("create index       i on t (async)");
        assertThat(only("CREATE UNIQUE INDEX ASYNC ON t (a)").sql()).isEqualTo("CREATE UNIQUE INDEX       ON t (a)");
        assertThat(only("alter table async t validate constraint c").sql())
                .isEqualTo("alter table       t validate constraint c");
        assertThat(only("create index on async (a)").sql()).isEqualTo("create index on async (a)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select 'open",
                "select \"open",
                "select $$open",
                "select e'\\",
                "(((",
                ")))",
                "create",
                "alter table",
                "create table t (",
                "create index",
                "set",
                "copy",
                "create sequence s cache",
                "alter table t add",
                "select 1 for"
            })
    void whatHasNoEndIsLeftToPostgres(String sql) {
        assertThat(Statements.of(sql)).as(sql).hasSizeLessThanOrEqualTo(1);
    }
}
