package dev.reservoir.remote.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Errors name the place, what was found, what is expected and what is nearest, and no secret. */
class CatalogParserErrorsTest {
    private final Catalog catalog = new Catalog();
    private final CatalogSession session = new CatalogSession(catalog, new Recording(), "ann");

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    CREAT SERVER s                            | line 1, column 1: found "CREAT"; expected: CREATE or ALTER or DROP or CALL; did you mean CREATE?
                    CREATE SERVR s                            | line 1, column 8: found "SERVR"; expected: SERVER or USER; did you mean SERVER?
                    CREATE SERVER                             | line 1, column 14: found the end of the text; expected: the name of a server
                    CREATE SERVER s FOREIGN DATA WRAPER x     | found "WRAPER"; expected: WRAPPER; did you mean WRAPPER?
                    CREATE SERVER s FOREIGN DATA WRAPPER pg   | line 1, column 38: there is no foreign data wrapper "pg"; nearest:
                    CREATE SERVER s FOREIGN DATA WRAPPER mysql_fdw OPTION (host 'a') | found "OPTION"; expected: a semicolon or the end of the text
                    CREATE SERVER s FOREIGN DATA WRAPPER mysql_fdw OPTIONS ()        | found ")"; expected: the name of an option
                    CREATE SERVER s FOREIGN DATA WRAPPER mysql_fdw OPTIONS (host)    | found ")"; expected: the value of option host in single quotes
                    CREATE SERVER s FOREIGN DATA WRAPPER mysql_fdw OPTIONS (host 'a' port '1') | found "port"; expected: "," or ")"
                    CREATE SERVER s FOREIGN DATA WRAPPER mysql_fdw OPTIONS (host 'a  | found something else; expected
                    CREATE SERVER s FOREIGN DATA WRAPPER mysql_fdw OPTIONS (hots 'a')| line 1, column 57: a server has no option hots; nearest: host
                    CREATE SERVER "" FOREIGN DATA WRAPPER mysql_fdw                  | found an identifier in quotes; expected: the name of a server
                    DROP SERVER s CASCADE x                   | found "x"; expected: a semicolon
                    ALTER SERVER s RENAME TO t                | found "RENAME"; expected: OWNER or OPTIONS
                    /* a /* b */ DROP SERVER s                | line 1, column 1: found a comment that does not end
                    DROP SERVER s §                           | found the character U+00A7
                    DROP SERVER IF EXIST s                    | found "EXIST"; expected: a semicolon
                    CREATE USER MAPING FOR a SERVER s         | did you mean MAPPING?
                    """)
    void errorsSayWhatIsWrongAndWhere(String sql, String message) {
        assertThatThrownBy(() -> session.execute(sql))
                .isInstanceOf(StatementException.class)
                .satisfies(error -> assertThat(error.getMessage()).contains(message));
    }

    @Test
    void thePlaceCountsLinesAndColumns() {
        assertThatThrownBy(() -> session.execute("-- one\r\n/* two\n */ DROP\n\t SERVR s"))
                .isInstanceOfSatisfying(
                        StatementException.class,
                        error -> assertThat(error.position()).isEqualTo(new SourcePosition(4, 3, 26)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "password 'hunter2'",
                "password 'hunter2",
                "password hunter2",
                "password \"hunter2\"",
                "password 'a'hunter2'",
                "password 'a' hunter2",
                "password 'a', hunter2",
                "password 'a', hunter2 5 6",
                "password 'a', \"hunter2",
                "pasword hunter2",
                "pasword 'hunter2'",
                "remote_password 'hunter2'",
                "REMOTE_PASSWORD hunter2",
                "passwd 'hunter2'",
                "driver.password 'hunter2'",
                "driver.sslpassword hunter2",
                "\"driver.trustStorePassword\" 'hunter2'",
                "host hunter2",
                "password 'a', password hunter2",
                "password 'a' /* hunter2",
            })
    void noErrorShowsASecret(String option) throws SQLException {
        session.execute("CREATE SERVER s FOREIGN DATA WRAPPER postgresql_fdw; CREATE USER MAPPING FOR bob SERVER s");
        for (String sql : new String[] {
            "CREATE USER MAPPING FOR ann SERVER s OPTIONS (" + option + ")",
            "ALTER USER MAPPING FOR bob SERVER s OPTIONS (ADD " + option + ")",
            "CREATE SERVER t FOREIGN DATA WRAPPER postgresql_fdw OPTIONS (" + option + ")",
        }) {
            Throwable error = catchThrowable(() -> session.execute(sql));
            assertThat(error).isInstanceOf(StatementException.class);
            for (Throwable cause = error; cause != null; cause = cause.getCause()) {
                assertThat(cause.toString()).doesNotContain("hunter2");
            }
        }
    }

    @Test
    void aPasswordInSqlIsRefusedWithAWayOut() throws SQLException {
        session.execute("CREATE SERVER s FOREIGN DATA WRAPPER postgresql_fdw");
        assertThatThrownBy(() -> session.execute("CREATE USER MAPPING FOR ann SERVER s OPTIONS (password 'hunter2')"))
                .hasMessage("RD032: line 1, column 47: option password is 'hidden'; allowed: '$NAME' for the"
                        + " environment variable NAME; or use password_file. A password itself is refused");
    }

    @Test
    void parsedStatementsShowNoValues() throws SQLException {
        assertThat(CatalogParser.parse("CREATE USER MAPPING FOR ann SERVER s OPTIONS (password 'hunter2')")
                        .toString())
                .contains("password")
                .doesNotContain("hunter2");
    }

    @Test
    void onlyStatementsOfTheCatalogAreKnown() {
        assertThat(CatalogSession.knows(" /* x */ create\nserver a")).isTrue();
        assertThat(CatalogSession.knows(";; ALTER USER MAPPING")).isTrue();
        assertThat(CatalogSession.knows("CALL sys.x()")).isTrue();
        assertThat(CatalogSession.knows("CREATE TABLE server(a int)")).isFalse();
        assertThat(CatalogSession.knows("CREATE USER a")).isFalse();
        assertThat(CatalogSession.knows("SELECT 1")).isFalse();
        assertThat(CatalogSession.knows("")).isFalse();
    }

    @Test
    void aScriptIsExecutedWholeOrNotAtAllAndNamesItsFile(@TempDir Path folder) throws IOException, SQLException {
        Path file = folder.resolve("servers.sql");
        Files.writeString(file, """
                CREATE SERVER a FOREIGN DATA WRAPPER mysql_fdw;
                CREATE SERVER b FOREIGN DATA WRAPPER mysql_fdw
                    OPTIONS (max_conn '5');
                """);
        assertThatThrownBy(() -> CatalogScript.read(file).execute(session))
                .hasMessageStartingWith("RD032: " + file
                        + ", line 3, column 14: a server has no option max_conn; nearest: max_connections");
        assertThat(catalog.servers()).isEmpty();
        Files.writeString(file, "\uFEFFCREATE SERVER a FOREIGN DATA WRAPPER mysql_fdw; -- the end");
        assertThat(CatalogScript.read(file).execute(session)).containsExactly("CREATE SERVER");
        Files.write(file, new byte[] {(byte) 0xC3, 0x28});
        assertThatThrownBy(() -> CatalogScript.read(file)).hasMessageContaining("no text in UTF-8");
        assertThatThrownBy(() -> CatalogScript.read(folder.resolve("none")))
                .hasMessageContaining("cannot be read (NoSuchFileException)");
    }
}
