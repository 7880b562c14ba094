package dev.reservoir.pgwire;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Answers a few statements of its own:
 *
 * <ul>
 *   <li>{@code echo $1}: the parameter, or the first number of the text
 *   <li>{@code count n}: the numbers from 1 to n
 *   <li>{@code types}: a row with a value of each type
 *   <li>{@code sleep}: never ends by itself
 *   <li>{@code fail}: an error at the position of the word
 *   <li>{@code crash}: an exception of the handler; {@code crash early}: already when it is prepared
 *   <li>{@code halfway}: an exception of the handler after some rows
 *   <li>{@code nothing}: a result without a command tag, which the server cannot send
 *   <li>{@code set}, {@code show}, {@code begin}, {@code commit}, {@code rollback}, {@code discard all}
 * </ul>
 */
final class ExampleHandler implements QueryHandler {
    static final Map<PgType, String> VALUES = values();

    /** Counts down when a statement begins to sleep. */
    final CountDownLatch sleeping = new CountDownLatch(1);

    /** Counts down when the session has ended. */
    final CountDownLatch closed = new CountDownLatch(1);

    /** Number of statements that the server has prepared. */
    final AtomicInteger prepared = new AtomicInteger();

    /** Number of rows of {@code count} that the server has taken. */
    final AtomicInteger rows = new AtomicInteger();

    /** Whether the status of the transaction cannot be told. */
    volatile boolean statusFails;

    final ClientInfo client;
    private final Map<String, String> settings = new TreeMap<>();
    private TransactionStatus status = TransactionStatus.IDLE;

    ExampleHandler(ClientInfo client) {
        this.client = client;
    }

    private static Map<PgType, String> values() {
        Map<PgType, String> values = new TreeMap<>();
        values.put(PgType.BOOL, "t");
        values.put(PgType.BYTEA, "\\x00ff10");
        values.put(PgType.INT8, "-9000000000");
        values.put(PgType.INT2, "-7");
        values.put(PgType.INT4, "2000000000");
        values.put(PgType.TEXT, "grün €");
        values.put(PgType.OID, "4294967295");
        values.put(PgType.JSON, "{\"a\": 1}");
        values.put(PgType.FLOAT4, "1.5");
        values.put(PgType.FLOAT8, "-2.25");
        values.put(PgType.VARCHAR, "");
        values.put(PgType.DATE, "1969-07-20");
        values.put(PgType.TIMESTAMP, "2026-01-31 23:59:59.123456");
        values.put(PgType.TIMESTAMPTZ, "1999-12-31 01:02:03+00");
        values.put(PgType.NUMERIC, "-12345678.90010");
        values.put(PgType.UUID, "0b7c1a4e-3f5d-4a58-9e63-2f1d4c5b6a79");
        return values;
    }

    @Override
    public TransactionStatus transactionStatus() {
        if (statusFails) {
            throw new IllegalStateException("no status");
        }
        return status;
    }

    @Override
    public void close() {
        closed.countDown();
    }

    @Override
    public PreparedQuery prepare(String sql) {
        prepared.incrementAndGet();
        String[] words = sql.strip().split("[\\s=]+", -1);
        String verb = words[0].toLowerCase(Locale.ROOT);
        if (status == TransactionStatus.FAILED && !verb.equals("rollback") && !verb.equals("commit")) {
            throw new PgException(PgError.error("25P02", "the transaction has failed"));
        }
        return switch (verb) {
            case "echo" -> new Echo(sql);
            case "count" -> {
                int count = Integer.parseInt(words[1]);
                yield query(List.of(new Column("n", PgType.INT4)), () -> QueryResult.select(rows(count)));
            }
            case "types" -> {
                List<Column> columns = VALUES.keySet().stream()
                        .map(type -> new Column(type.name().toLowerCase(Locale.ROOT), type))
                        .toList();
                List<@Nullable String> nulls = new ArrayList<>(Collections.nCopies(columns.size(), null));
                yield query(columns, () -> QueryResult.select(List.of(List.copyOf(VALUES.values()), nulls)));
            }
            case "show" ->
                query(
                        List.of(new Column(words[1], PgType.TEXT)),
                        () -> QueryResult.rows("SHOW", List.of(List.of(settings.getOrDefault(words[1], "")))));
            case "sleep" -> query(List.of(), this::sleep);
            case "crash" -> {
                if (words.length > 1) {
                    throw new IllegalStateException("a secret of the handler");
                }
                yield query(List.of(), () -> {
                    throw new IllegalStateException("a secret of the handler");
                });
            }
            case "halfway" ->
                query(
                        List.of(new Column("n", PgType.INT4)),
                        () -> QueryResult.select(() -> Stream.of("1", "2", "a secret of the handler")
                                .map(value -> Arrays.<@Nullable String>asList("" + Integer.parseInt(value)))
                                .iterator()));
            case "nothing" -> query(List.of(), () -> QueryResult.command(null));
            case "set" ->
                query(List.of(), () -> {
                    settings.put(words[1], words[words.length - 1].replace("'", ""));
                    return QueryResult.command("SET");
                });
            case "discard" ->
                query(List.of(), () -> {
                    settings.clear();
                    return QueryResult.command("DISCARD ALL");
                });
            case "begin" -> query(List.of(), () -> end("BEGIN", TransactionStatus.IN_TRANSACTION));
            case "commit", "rollback" ->
                query(List.of(), () -> end(verb.toUpperCase(Locale.ROOT), TransactionStatus.IDLE));
            default -> {
                failTransaction();
                throw new PgException(PgError.error("42601", "unknown statement \"" + words[0] + "\"")
                        .at(1));
            }
        };
    }

    private QueryResult end(String tag, TransactionStatus next) {
        status = next;
        return QueryResult.command(tag);
    }

    private void failTransaction() {
        status = status == TransactionStatus.IDLE ? status : TransactionStatus.FAILED;
    }

    private QueryResult sleep() throws InterruptedException {
        sleeping.countDown();
        TimeUnit.HOURS.sleep(1);
        return QueryResult.command("SLEEP");
    }

    private Iterable<List<@Nullable String>> rows(int count) {
        return () -> IntStream.rangeClosed(1, count)
                .peek(n -> rows.incrementAndGet())
                .mapToObj(n -> Arrays.<@Nullable String>asList(Integer.toString(n)))
                .iterator();
    }

    private interface Run {
        QueryResult run() throws InterruptedException;
    }

    private static PreparedQuery query(List<Column> columns, Run run) {
        return new PreparedQuery() {
            @Override
            public List<Column> columns() {
                return columns;
            }

            @Override
            public QueryResult execute(List<@Nullable String> parameters) throws InterruptedException {
                return run.run();
            }
        };
    }

    /** Returns its parameter, or the first number of its text if it has none. */
    private record Echo(String sql) implements PreparedQuery {
        @Override
        public List<PgType> parameterTypes() {
            return sql.contains("$1") ? List.of(PgType.TEXT) : List.of();
        }

        @Override
        public List<Column> columns() {
            return List.of(new Column("echo", PgType.TEXT));
        }

        @Override
        public QueryResult execute(List<@Nullable String> parameters) {
            String value = parameters.isEmpty() ? sql.replaceFirst("\\D*(\\d*).*", "$1") : parameters.get(0);
            return QueryResult.select(List.of(Arrays.<@Nullable String>asList(value)));
        }
    }
}
