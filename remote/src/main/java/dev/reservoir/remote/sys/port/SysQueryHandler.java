package dev.reservoir.remote.sys.port;

import dev.reservoir.pgwire.PgError;
import dev.reservoir.pgwire.PgException;
import dev.reservoir.pgwire.PreparedQuery;
import dev.reservoir.pgwire.QueryHandler;
import dev.reservoir.pgwire.QueryResult;
import dev.reservoir.pgwire.TransactionStatus;
import dev.reservoir.remote.sql.lexer.CatalogLexer;
import dev.reservoir.remote.sql.lexer.CatalogToken;
import dev.reservoir.remote.sys.SysDatabase;
import dev.reservoir.remote.sys.SysSession;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the statements of one client: queries, statements for servers and mappings, calls, and the few others that
 * clients send by themselves ({@code BEGIN}, {@code SET} and the like).
 *
 * <p>A transaction groups nothing: each query sees the state of its time. Statements that change the registry take
 * effect at once, so they are refused inside a transaction, which could not be rolled back.
 */
final class SysQueryHandler implements QueryHandler {
    private static final Logger LOG = LoggerFactory.getLogger(SysQueryHandler.class);

    private final SysSession session;
    private final QueryThreads threads;
    private TransactionStatus transaction = TransactionStatus.IDLE;

    private SysQueryHandler(SysSession session, QueryThreads threads) {
        this.session = session;
        this.threads = threads;
    }

    static SysQueryHandler open(SysDatabase database, String user, QueryThreads threads) {
        try {
            return new SysQueryHandler(database.session(user), threads);
        } catch (SQLException e) {
            throw new PgException(PgErrors.of(e));
        }
    }

    @Override
    public PreparedQuery prepare(String sql) {
        return guarded(() -> parse(sql));
    }

    private PreparedQuery parse(String sql) throws SQLException {
        String word = firstWord(sql);
        PreparedQuery control = control(word);
        if (control != null) {
            return control;
        }
        if (transaction == TransactionStatus.FAILED) {
            throw new PgException(PgError.error(
                    "25P02", "current transaction is aborted, commands ignored until end of transaction block"));
        }
        if (SysSession.isStatement(sql)) {
            SysSession.check(sql);
            return parameters -> guarded(() -> change(sql));
        }
        return new ViewQuery(session, threads, sql, this::failed);
    }

    private QueryResult change(String sql) throws SQLException {
        if (transaction != TransactionStatus.IDLE) {
            throw new PgException(PgError.error(
                            "25001", "a statement that changes the registry cannot run inside a transaction block")
                    .withHint("It takes effect at once and cannot be rolled back. Use auto-commit."));
        }
        List<String> tags = session.execute(sql);
        return QueryResult.command(tags.get(tags.size() - 1));
    }

    /** Statements that only change the state of the transaction, or nothing. */
    private @Nullable PreparedQuery control(String word) {
        return switch (word) {
            case "BEGIN", "START" -> move("BEGIN", TransactionStatus.IN_TRANSACTION);
            case "COMMIT", "END" ->
                parameters -> {
                    boolean wasFailed = transaction == TransactionStatus.FAILED;
                    transaction = TransactionStatus.IDLE;
                    return QueryResult.command(wasFailed ? "ROLLBACK" : "COMMIT");
                };
            case "ROLLBACK", "ABORT" -> move("ROLLBACK", TransactionStatus.IDLE);
            case "SET", "RESET", "DISCARD", "DEALLOCATE" -> parameters -> QueryResult.command(word);
            default -> null;
        };
    }

    private PreparedQuery move(String tag, TransactionStatus to) {
        return parameters -> {
            transaction = to;
            return QueryResult.command(tag);
        };
    }

    private static String firstWord(String sql) {
        CatalogToken first = new CatalogLexer(sql).next();
        return first.kind() == CatalogToken.Kind.WORD ? first.text().toUpperCase(Locale.ROOT) : "";
    }

    @Override
    public TransactionStatus transactionStatus() {
        return transaction;
    }

    @Override
    public void close() {
        try {
            session.close();
        } catch (SQLException e) {
            LOG.debug("Reservoir: closing a session of the views failed", e);
        }
    }

    private void failed() {
        if (transaction == TransactionStatus.IN_TRANSACTION) {
            transaction = TransactionStatus.FAILED;
        }
    }

    private <T> T guarded(SqlCall<T> call) {
        try {
            return call.run();
        } catch (SQLException e) {
            failed();
            throw new PgException(PgErrors.of(e));
        } catch (PgException e) {
            failed();
            throw e;
        }
    }

    private interface SqlCall<T> {
        T run() throws SQLException;
    }
}
