package dev.reservoir.remote.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.remote.model.MappingOptions;
import dev.reservoir.remote.model.RemoteOption;
import dev.reservoir.remote.model.ServerOptions;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Random text never makes the parser throw anything but its own exception, with a place inside the text. */
class CatalogParserFuzzTest {
    private static final int ROUNDS = 60_000;
    private static final String[] PARTS = {
        "CREATE",
        "ALTER",
        "DROP",
        "SERVER",
        "USER",
        "MAPPING",
        "FOR",
        "PUBLIC",
        "CURRENT_USER",
        "TYPE",
        "'mysql'",
        "FOREIGN",
        "DATA",
        "WRAPPER",
        "mysql_fdw",
        "postgresql_fdw",
        "OPTIONS",
        "(",
        ")",
        ",",
        ";",
        ".",
        "'",
        "\"",
        "''",
        "\"a\"",
        "SET",
        "ADD",
        "IF",
        "NOT",
        "EXISTS",
        "CASCADE",
        "RESTRICT",
        "CALL",
        "sys",
        "warmup_pool",
        "reset_connection",
        "close_all_connections",
        "evict_idle_connections",
        "--",
        "/*",
        "*/",
        "\n",
        "\r\n",
        " ",
        "s",
        "t",
        "ann",
        "driver",
        "'1'",
        "'true'",
        "17",
        "-5",
        "1e9",
        "$",
        "\u00e9",
        "\ud83d\ude00",
        "\ud83d",
        "\0",
        "OWNER",
        "TO",
        "'$PATH'",
        "\uFEFF",
    };

    private static final String[] STATEMENTS = {
        "CREATE SERVER s FOREIGN DATA WRAPPER mysql_fdw OPTIONS (host 'a', port '1', driver.x 'y')",
        "ALTER SERVER s OPTIONS (SET host 'b', DROP port, ADD dbname 'c')",
        "CREATE USER MAPPING FOR PUBLIC SERVER s OPTIONS (user 'a', password '$PATH')",
        "ALTER USER MAPPING FOR PUBLIC SERVER s OPTIONS (SET user 'b')",
        "DROP USER MAPPING IF EXISTS FOR PUBLIC SERVER s",
        "DROP SERVER IF EXISTS s, t CASCADE",
        "CALL sys.warmup_pool('s', 3)",
    };

    @Test
    void randomTextIsParsedOrRefusedAtAPlaceInIt() {
        long seed = Long.getLong("seed", new Random().nextLong());
        Random random = new Random(seed);
        int executed = 0;
        for (int round = 0; round < ROUNDS; round++) {
            String text = text(random);
            Catalog catalog = new Catalog();
            CatalogSession session = new CatalogSession(catalog, new Recording(), "ann");
            try {
                session.execute("CREATE SERVER s FOREIGN DATA WRAPPER mysql_fdw");
                List<String> tags = session.execute(text);
                assertThat(tags).as("seed %d text %s", seed, text).isNotNull();
                executed += tags.isEmpty() ? 0 : 1;
            } catch (StatementException e) {
                SourcePosition position = e.position();
                assertThat(position.offset()).as("seed %d text %s", seed, text).isBetween(0, text.length());
                assertThat(offset(text, position))
                        .as("seed %d text %s", seed, text)
                        .isEqualTo(position.offset());
            } catch (SQLException | RuntimeException e) {
                throw new AssertionError("seed " + seed + " text " + text, e);
            }
            CatalogSession.knows(text);
        }
        assertThat(executed).as("texts that were valid, seed %d", seed).isGreaterThan(ROUNDS / 100);
    }

    private static String text(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> parts(random);
            case 1 -> characters(random);
            default -> damaged(random);
        };
    }

    private static String parts(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(20); i >= 0; i--) {
            text.append(part(random)).append(random.nextInt(4) == 0 ? "" : " ");
        }
        return text.toString();
    }

    private static String part(Random random) {
        if (random.nextInt(6) > 0) {
            return PARTS[random.nextInt(PARTS.length)];
        }
        List<RemoteOption<?>> options = new ArrayList<>(ServerOptions.all());
        options.addAll(MappingOptions.all());
        return options.get(random.nextInt(options.size())).key();
    }

    private static String characters(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(40); i >= 0; i--) {
            text.append((char) (random.nextInt(8) == 0 ? random.nextInt(0x10000) : random.nextInt(128)));
        }
        return text.toString();
    }

    /** Valid statements in which a few places are changed. */
    private static String damaged(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(3); i >= 0; i--) {
            text.append(STATEMENTS[random.nextInt(STATEMENTS.length)]).append(";\n");
        }
        for (int i = random.nextInt(4); i > 0 && text.length() > 0; i--) {
            int at = random.nextInt(text.length());
            switch (random.nextInt(3)) {
                case 0 -> text.deleteCharAt(at);
                case 1 -> text.insert(at, part(random));
                default -> text.setLength(Math.max(1, at));
            }
        }
        return text.toString();
    }

    /** Counts again, in another way, where the line and column are. */
    private static int offset(String text, SourcePosition position) {
        int start = 0;
        for (int line = 1; line < position.line(); line++) {
            start = text.indexOf('\n', start) + 1;
        }
        return start + position.column() - 1;
    }
}
