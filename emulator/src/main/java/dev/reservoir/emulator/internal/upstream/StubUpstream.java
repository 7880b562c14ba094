package dev.reservoir.emulator.internal.upstream;

import dev.reservoir.emulator.internal.sql.Statement.Kind;
import dev.reservoir.emulator.internal.sql.Statements;
import dev.reservoir.pgwire.Column;
import dev.reservoir.pgwire.PgError;
import dev.reservoir.pgwire.PgType;
import dev.reservoir.pgwire.message.Frames;
import dev.reservoir.pgwire.message.ServerMessages;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Answers as much of the protocol as a client needs to connect, to check a connection and to run a trivial transaction.
 * SELECT of one whole number returns that number, SHOW returns a parameter, every other statement returns no rows or
 * changes nothing. Keeps no data.
 */
final class StubUpstream implements Upstream {
    private static final Pattern NUMBER = Pattern.compile("\\s*select\\s+(-?\\d{1,9})\\s*", Pattern.CASE_INSENSITIVE);
    private static final Pattern SHOW = Pattern.compile("\\s*show\\s+\"?([\\w.]+)\"?.*", Pattern.CASE_INSENSITIVE);
    private static final Pattern PARAMETER = Pattern.compile("\\$(\\d{1,4})");
    private static final Map<String, String> SHOWN = Map.of(
            "transaction_isolation", "repeatable read",
            "default_transaction_isolation", "repeatable read",
            "timezone", "UTC",
            "server_version", Statements.VERSION,
            "server_encoding", "UTF8",
            "client_encoding", "UTF8");

    private final Map<String, String> statements = new HashMap<>();
    private final Map<String, String> portals = new HashMap<>();
    private final Queue<ByteBuf> answers = new ArrayDeque<>();
    private @Nullable Listener listener;
    private char status = 'I';
    private boolean skipping;
    private boolean answering;

    /** Delivers the answers, always in a later task, as a real server does. */
    private final EventLoop loop;

    StubUpstream(EventLoop loop) {
        this.loop = loop;
    }

    void greet(Listener client, int processId) {
        listener = client;
        answers.addAll(ServerMessages.greeting(Statements.VERSION, processId, processId));
        answers.add(ServerMessages.ready(status));
        flush();
    }

    @Override
    public void write(ByteBuf frame) {
        try {
            char type = Frames.type(frame);
            if (type == 'S') {
                skipping = false;
                answers.add(ServerMessages.ready(status));
            } else if (!skipping) {
                answer(type, Frames.body(frame));
            }
        } finally {
            frame.release();
        }
    }

    private void answer(char type, ByteBuf body) {
        switch (type) {
            case 'P' -> parse(Frames.text(body), Frames.text(body));
            case 'B' -> {
                portals.put(Frames.text(body), statements.getOrDefault(Frames.text(body), ""));
                answers.add(ServerMessages.bindComplete());
            }
            case 'D' -> describe((char) body.readByte(), Frames.text(body));
            case 'E' -> execute(portals.getOrDefault(Frames.text(body), ""));
            case 'C' -> {
                Map<String, String> named = body.readByte() == 'P' ? portals : statements;
                named.remove(Frames.text(body));
                answers.add(ServerMessages.closeComplete());
            }
            default -> {
                // Flush: the stub answers everything at once anyway.
            }
        }
    }

    private void parse(String name, String sql) {
        boolean ends = kind(sql) == Kind.ROLLBACK || kind(sql) == Kind.COMMIT;
        if (status == 'E' && !ends) {
            fail(PgError.error(
                    "25P02", "current transaction is aborted, commands ignored until end of transaction block"));
        } else if (sql.startsWith("SELECT \"")) {
            fail(PgError.error("42703", "column " + sql.substring("SELECT ".length()) + " does not exist"));
        } else {
            statements.put(name, sql);
            answers.add(ServerMessages.parseComplete());
        }
    }

    private void fail(PgError error) {
        skipping = true;
        status = status == 'I' ? 'I' : 'E';
        answers.add(ServerMessages.error(error));
    }

    private static Kind kind(String sql) {
        var found = Statements.of(sql);
        return found.isEmpty() ? Kind.OTHER : found.get(0).kind();
    }

    private static String verb(String sql) {
        String[] words = sql.strip().split("[\\s;(]+", 2);
        return words[0].toUpperCase(Locale.ROOT);
    }

    private void describe(char what, String name) {
        String sql = (what == 'S' ? statements : portals).getOrDefault(name, "");
        if (what == 'S') {
            int count = 0;
            for (Matcher matcher = PARAMETER.matcher(sql); matcher.find(); ) {
                count = Math.max(count, Integer.parseInt(matcher.group(1)));
            }
            answers.add(ServerMessages.parameterDescription(Collections.nCopies(count, PgType.TEXT.oid())));
        }
        switch (verb(sql)) {
            case "SELECT" -> answers.add(column("?column?", NUMBER.matcher(sql).matches() ? PgType.INT4 : PgType.TEXT));
            case "SHOW" -> answers.add(column(parameter(sql), PgType.TEXT));
            default -> answers.add(ServerMessages.noData());
        }
    }

    private static ByteBuf column(String name, PgType type) {
        return ServerMessages.rowDescription(List.of(new Column(name, type)), index -> ServerMessages.TEXT_FORMAT);
    }

    private static ByteBuf row(String value) {
        return ServerMessages.dataRow(List.of(value.getBytes(StandardCharsets.UTF_8)));
    }

    private static String parameter(String sql) {
        Matcher matcher = SHOW.matcher(sql);
        return matcher.matches() ? matcher.group(1).toLowerCase(Locale.ROOT) : "";
    }

    private void execute(String sql) {
        String verb = verb(sql);
        switch (verb) {
            case "" -> answers.add(ServerMessages.emptyQuery());
            case "SELECT" -> {
                Matcher number = NUMBER.matcher(sql);
                boolean row = number.matches();
                if (row) {
                    answers.add(row(number.group(1)));
                }
                answers.add(ServerMessages.commandComplete("SELECT " + (row ? 1 : 0)));
            }
            case "SHOW" -> {
                answers.add(row(SHOWN.getOrDefault(parameter(sql), "")));
                answers.add(ServerMessages.commandComplete("SHOW"));
            }
            case "INSERT" -> answers.add(ServerMessages.commandComplete("INSERT 0 0"));
            case "UPDATE", "DELETE" -> answers.add(ServerMessages.commandComplete(verb + " 0"));
            default -> answers.add(ServerMessages.commandComplete(control(sql, verb)));
        }
    }

    private String control(String sql, String verb) {
        return switch (kind(sql)) {
            case BEGIN -> {
                status = 'T';
                yield "BEGIN";
            }
            case COMMIT -> {
                String tag = status == 'E' ? "ROLLBACK" : "COMMIT";
                status = 'I';
                yield tag;
            }
            case ROLLBACK -> {
                status = 'I';
                yield "ROLLBACK";
            }
            default -> verb;
        };
    }

    @Override
    public void flush() {
        if (!answering && !answers.isEmpty()) {
            answering = true;
            loop.execute(this::deliver);
        }
    }

    private void deliver() {
        answering = false;
        Listener client = listener;
        if (client == null) {
            return;
        }
        // The listener may send requests from here. The next delivery answers them.
        for (int left = answers.size(); left > 0; left--) {
            ByteBuf answer = answers.poll();
            if (answer != null) {
                client.onMessage(answer);
            }
        }
        client.onPause();
    }

    @Override
    public boolean isWritable() {
        return true;
    }

    @Override
    public void reading(boolean on) {
        // The stub never has more to read than one short answer.
    }

    @Override
    public void close() {
        answers.forEach(ByteBuf::release);
        answers.clear();
    }
}
