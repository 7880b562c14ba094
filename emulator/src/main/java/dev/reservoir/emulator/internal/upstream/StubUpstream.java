package dev.reservoir.emulator.internal.upstream;

import dev.reservoir.emulator.internal.sql.Statement.Kind;
import dev.reservoir.emulator.internal.sql.Statements;
import dev.reservoir.emulator.internal.wire.Problem;
import dev.reservoir.emulator.internal.wire.Wire;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.HashMap;
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
            "server_version", "16",
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

    void greet(Listener told, int processId) {
        listener = told;
        answers.add(Wire.parameterStatus("server_version", "16"));
        answers.add(Wire.parameterStatus("server_encoding", "UTF8"));
        answers.add(Wire.parameterStatus("client_encoding", "UTF8"));
        answers.add(Wire.parameterStatus("DateStyle", "ISO, MDY"));
        answers.add(Wire.parameterStatus("TimeZone", "UTC"));
        answers.add(Wire.parameterStatus("integer_datetimes", "on"));
        answers.add(Wire.parameterStatus("standard_conforming_strings", "on"));
        answers.add(Wire.backendKey(processId, processId));
        answers.add(Wire.ready(status));
        flush();
    }

    @Override
    public void write(ByteBuf frame) {
        try {
            char type = Wire.type(frame);
            if (type == 'S') {
                skipping = false;
                answers.add(Wire.ready(status));
            } else if (!skipping) {
                answer(type, Wire.body(frame));
            }
        } finally {
            frame.release();
        }
    }

    private void answer(char type, ByteBuf body) {
        switch (type) {
            case 'P' -> parse(Wire.text(body), Wire.text(body));
            case 'B' -> {
                portals.put(Wire.text(body), statements.getOrDefault(Wire.text(body), ""));
                answers.add(Wire.plain('2'));
            }
            case 'D' -> describe((char) body.readByte(), Wire.text(body));
            case 'E' -> execute(portals.getOrDefault(Wire.text(body), ""));
            case 'C' -> {
                Map<String, String> named = body.readByte() == 'P' ? portals : statements;
                named.remove(Wire.text(body));
                answers.add(Wire.plain('3'));
            }
            default -> {
                // Flush: the stub answers everything at once anyway.
            }
        }
    }

    private void parse(String name, String sql) {
        boolean ends = kind(sql) == Kind.ROLLBACK || kind(sql) == Kind.COMMIT;
        if (status == 'E' && !ends) {
            fail(Problem.error(
                    "25P02", "current transaction is aborted, commands ignored until end of transaction block"));
        } else if (sql.startsWith("SELECT \"")) {
            fail(Problem.error("42703", "column " + sql.substring("SELECT ".length()) + " does not exist"));
        } else {
            statements.put(name, sql);
            answers.add(Wire.plain('1'));
        }
    }

    private void fail(Problem problem) {
        skipping = true;
        status = status == 'I' ? 'I' : 'E';
        answers.add(problem.encode());
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
            answers.add(Wire.parameterDescription(count));
        }
        switch (verb(sql)) {
            case "SELECT" ->
                answers.add(Wire.rowDescription("?column?", NUMBER.matcher(sql).matches()));
            case "SHOW" -> answers.add(Wire.rowDescription(parameter(sql), false));
            default -> answers.add(Wire.plain('n'));
        }
    }

    private static String parameter(String sql) {
        Matcher matcher = SHOW.matcher(sql);
        return matcher.matches() ? matcher.group(1).toLowerCase(Locale.ROOT) : "";
    }

    private void execute(String sql) {
        String verb = verb(sql);
        switch (verb) {
            case "" -> answers.add(Wire.plain('I'));
            case "SELECT" -> {
                Matcher number = NUMBER.matcher(sql);
                boolean row = number.matches();
                if (row) {
                    answers.add(Wire.dataRow(number.group(1)));
                }
                answers.add(Wire.commandComplete("SELECT " + (row ? 1 : 0)));
            }
            case "SHOW" -> {
                answers.add(Wire.dataRow(SHOWN.getOrDefault(parameter(sql), "")));
                answers.add(Wire.commandComplete("SHOW"));
            }
            case "INSERT" -> answers.add(Wire.commandComplete("INSERT 0 0"));
            case "UPDATE", "DELETE" -> answers.add(Wire.commandComplete(verb + " 0"));
            default -> answers.add(Wire.commandComplete(control(sql, verb)));
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
        Listener told = listener;
        if (told == null) {
            return;
        }
        // The listener may send requests from here. The next delivery answers them.
        for (int left = answers.size(); left > 0; left--) {
            ByteBuf answer = answers.poll();
            if (answer != null) {
                told.onMessage(answer);
            }
        }
        told.onPause();
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
