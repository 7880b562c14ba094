package dev.reservoir.flightsql.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.CancelFlightInfoRequest;
import org.apache.arrow.flight.CancelStatus;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.PutResult;
import org.apache.arrow.flight.Result;
import org.apache.arrow.flight.sql.CancelResult;
import org.apache.arrow.flight.sql.FlightSqlUtils;
import org.apache.arrow.flight.sql.impl.FlightSql.ActionBeginTransactionRequest;
import org.apache.arrow.flight.sql.impl.FlightSql.ActionBeginTransactionResult;
import org.apache.arrow.flight.sql.impl.FlightSql.ActionClosePreparedStatementRequest;
import org.apache.arrow.flight.sql.impl.FlightSql.ActionCreatePreparedStatementRequest;
import org.apache.arrow.flight.sql.impl.FlightSql.ActionCreatePreparedStatementResult;
import org.apache.arrow.flight.sql.impl.FlightSql.ActionEndTransactionRequest;
import org.apache.arrow.flight.sql.impl.FlightSql.ActionEndTransactionRequest.EndTransaction;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandPreparedStatementQuery;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandPreparedStatementUpdate;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementQuery;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementUpdate;
import org.apache.arrow.flight.sql.impl.FlightSql.DoPutUpdateResult;
import org.apache.arrow.flight.sql.impl.FlightSql.TicketStatementQuery;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/** Answers Flight SQL's requests with DuckDB. */
@SuppressWarnings("try") // the interface inherits a close() that may throw anything
final class DuckDbProducer extends CatalogProducer {
    private final BufferAllocator allocator;
    private final ServerSessions sessions;
    private final Supplier<SessionRules> rules;
    private final StatementLog log;
    private final StatementRunner runner;

    DuckDbProducer(BufferAllocator allocator, ServerSessions sessions, Supplier<SessionRules> rules, StatementLog log) {
        this.allocator = allocator;
        this.sessions = sessions;
        this.rules = rules;
        this.log = log;
        runner = new StatementRunner(allocator, log, () -> rules.get().stopsWithStream());
    }

    private ServerSession session() {
        return sessions.of(Peers.current());
    }

    void stopAll() {
        runner.stopAll();
    }

    // Statements.

    @Override
    public FlightInfo getFlightInfoStatement(
            CommandStatementQuery command, CallContext context, FlightDescriptor descriptor) {
        ServerSession session = session();
        session.checkTransaction(command.getTransactionId().toStringUtf8());
        PreparedStatement statement = prepare(session, command.getQuery());
        String handle = UUID.randomUUID().toString();
        runner.add(handle, new RunningStatement(session, command.getQuery(), statement, true));
        TicketStatementQuery ticket = TicketStatementQuery.newBuilder()
                .setStatementHandle(ByteString.copyFromUtf8(handle))
                .build();
        return info(descriptor, ticket);
    }

    private static PreparedStatement prepare(ServerSession session, String sql) {
        boolean locked = false;
        try {
            session.lock.acquire();
            locked = true;
            return session.connection.prepareStatement(sql);
        } catch (SQLException e) {
            throw StatementRunner.failure(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CallStatus.CANCELLED.withDescription("the server stops").toRuntimeException();
        } finally {
            if (locked) {
                session.lock.release();
            }
        }
    }

    @Override
    public void getStreamStatement(TicketStatementQuery ticket, CallContext context, ServerStreamListener listener) {
        session();
        stream(runner.find(ticket.getStatementHandle().toStringUtf8()), listener);
    }

    private void stream(RunningStatement running, ServerStreamListener listener) {
        try {
            runner.run(running, () -> runner.stream(running, listener));
        } catch (RuntimeException e) {
            listener.error(e);
        }
    }

    @Override
    public Runnable acceptPutStatement(
            CommandStatementUpdate command, CallContext context, FlightStream stream, StreamListener<PutResult> acks) {
        return () -> {
            ServerSession session = session();
            session.checkTransaction(command.getTransactionId().toStringUtf8());
            PreparedStatement statement = prepare(session, command.getQuery());
            update(new RunningStatement(session, command.getQuery(), statement, true), List.of(List.of()), acks);
        };
    }

    private void update(RunningStatement running, List<List<@Nullable Object>> rows, StreamListener<PutResult> acks) {
        runner.run(running, () -> {
            long count = 0;
            for (List<@Nullable Object> row : rows) {
                ParameterRows.bind(running.statement, row);
                count += running.statement.execute() ? 0 : Math.max(0, running.statement.getUpdateCount());
            }
            acknowledge(count, acks);
        });
    }

    private void acknowledge(long count, StreamListener<PutResult> acks) {
        byte[] bytes =
                DoPutUpdateResult.newBuilder().setRecordCount(count).build().toByteArray();
        try (ArrowBuf buffer = allocator.buffer(bytes.length)) {
            buffer.writeBytes(bytes);
            acks.onNext(PutResult.metadata(buffer));
            acks.onCompleted();
        }
    }

    // Prepared statements.

    @Override
    public void createPreparedStatement(
            ActionCreatePreparedStatementRequest request, CallContext context, StreamListener<Result> listener) {
        try {
            ServerSession session = session();
            session.checkTransaction(request.getTransactionId().toStringUtf8());
            PreparedStatement statement = prepare(session, request.getQuery());
            String handle = UUID.randomUUID().toString();
            session.prepared.put(handle, new ServerSession.Prepared(request.getQuery(), statement));
            List<Field> parameters = new ArrayList<>();
            for (int i = 0; i < statement.getParameterMetaData().getParameterCount(); i++) {
                parameters.add(Field.nullable("$" + (i + 1), new ArrowType.Null()));
            }
            Message result = ActionCreatePreparedStatementResult.newBuilder()
                    .setPreparedStatementHandle(ByteString.copyFromUtf8(handle))
                    .setParameterSchema(ByteString.copyFrom(new Schema(parameters).serializeAsMessage()))
                    .setDatasetSchema(
                            ByteString.copyFrom(ResultSchema.of(statement).serializeAsMessage()))
                    .build();
            listener.onNext(new Result(Any.pack(result).toByteArray()));
            listener.onCompleted();
        } catch (SQLException e) {
            listener.onError(StatementRunner.failure(e));
        }
    }

    private static ServerSession.Prepared prepared(ServerSession session, ByteString handle) {
        ServerSession.Prepared prepared = session.prepared.get(handle.toStringUtf8());
        if (prepared == null) {
            throw CallStatus.INVALID_ARGUMENT
                    .withDescription("unknown prepared statement")
                    .toRuntimeException();
        }
        return prepared;
    }

    @Override
    public void closePreparedStatement(
            ActionClosePreparedStatementRequest request, CallContext context, StreamListener<Result> listener) {
        ServerSession session = session();
        String handle = request.getPreparedStatementHandle().toStringUtf8();
        ServerSession.Prepared closing = session.prepared.remove(handle);
        if (closing == null) {
            listener.onError(CallStatus.INVALID_ARGUMENT
                    .withDescription("unknown prepared statement")
                    .toRuntimeException());
            return;
        }
        try {
            closing.statement.close();
            listener.onCompleted();
        } catch (SQLException e) {
            listener.onError(StatementRunner.failure(e));
        }
    }

    @Override
    public Runnable acceptPutPreparedStatementQuery(
            CommandPreparedStatementQuery command,
            CallContext context,
            FlightStream stream,
            StreamListener<PutResult> acks) {
        return () -> {
            prepared(session(), command.getPreparedStatementHandle()).rows = ParameterRows.read(stream);
            acks.onCompleted();
        };
    }

    @Override
    public Runnable acceptPutPreparedStatementUpdate(
            CommandPreparedStatementUpdate command,
            CallContext context,
            FlightStream stream,
            StreamListener<PutResult> acks) {
        return () -> {
            ServerSession session = session();
            ServerSession.Prepared prepared = prepared(session, command.getPreparedStatementHandle());
            List<List<@Nullable Object>> rows = ParameterRows.read(stream);
            RunningStatement running = new RunningStatement(session, prepared.sql, prepared.statement, false);
            update(running, rows.isEmpty() ? List.of(List.of()) : rows, acks);
        };
    }

    @Override
    public FlightInfo getFlightInfoPreparedStatement(
            CommandPreparedStatementQuery command, CallContext context, FlightDescriptor descriptor) {
        ServerSession session = session();
        ServerSession.Prepared prepared = prepared(session, command.getPreparedStatementHandle());
        RunningStatement running = new RunningStatement(session, prepared.sql, prepared.statement, false);
        runner.add(command.getPreparedStatementHandle().toStringUtf8(), running);
        return info(descriptor, command);
    }

    @Override
    public void getStreamPreparedStatement(
            CommandPreparedStatementQuery command, CallContext context, ServerStreamListener listener) {
        ServerSession.Prepared prepared = prepared(session(), command.getPreparedStatementHandle());
        RunningStatement running =
                runner.find(command.getPreparedStatementHandle().toStringUtf8());
        try {
            runner.run(running, () -> {
                if (!prepared.rows.isEmpty()) {
                    ParameterRows.bind(running.statement, prepared.rows.get(0));
                }
                runner.stream(running, listener);
            });
        } catch (RuntimeException e) {
            listener.error(e);
        }
    }

    // The server's own queries and bulk ingest.

    @Override
    void streamOwn(String sql, ServerStreamListener listener) {
        ServerSession session = session();
        stream(new RunningStatement(session, sql, prepare(session, sql), true), listener);
    }

    /** Appends to a table that exists. */
    @Override
    public Runnable acceptPutStatementBulkIngest(
            CommandStatementIngest command, CallContext context, FlightStream stream, StreamListener<PutResult> acks) {
        return () -> {
            ServerSession session = session();
            List<List<@Nullable Object>> rows = ParameterRows.read(stream);
            int columns = stream.getSchema().getFields().size();
            String sql = CatalogQueries.insert(command.getTable(), columns);
            update(new RunningStatement(session, sql, prepare(session, sql), true), rows, acks);
        };
    }

    // Transactions.

    @Override
    public void beginTransaction(
            ActionBeginTransactionRequest request,
            CallContext context,
            StreamListener<ActionBeginTransactionResult> listener) {
        if (!rules.get().transactions()) {
            listener.onError(
                    CallStatus.UNIMPLEMENTED.withDescription("no transactions").toRuntimeException());
            return;
        }
        ServerSession session = session();
        execute(session, "BEGIN TRANSACTION");
        String id = UUID.randomUUID().toString();
        session.transaction = id;
        listener.onNext(ActionBeginTransactionResult.newBuilder()
                .setTransactionId(ByteString.copyFromUtf8(id))
                .build());
        listener.onCompleted();
    }

    @Override
    public void endTransaction(
            ActionEndTransactionRequest request, CallContext context, StreamListener<Result> listener) {
        ServerSession session = session();
        String id = request.getTransactionId().toStringUtf8();
        if (id.isEmpty() || !id.equals(session.transaction)) {
            listener.onError(CallStatus.INVALID_ARGUMENT
                    .withDescription("unknown transaction")
                    .toRuntimeException());
            return;
        }
        session.transaction = null;
        execute(session, request.getAction() == EndTransaction.END_TRANSACTION_COMMIT ? "COMMIT" : "ROLLBACK");
        listener.onCompleted();
    }

    private void execute(ServerSession session, String sql) {
        boolean locked = false;
        try {
            session.lock.acquire();
            locked = true;
            log.add(sql);
            try (Statement statement = session.connection.createStatement()) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            throw StatementRunner.failure(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CallStatus.CANCELLED.withDescription("the server stops").toRuntimeException();
        } finally {
            if (locked) {
                session.lock.release();
            }
        }
    }

    // Cancel.

    @Override
    public void cancelFlightInfo(
            CancelFlightInfoRequest request, CallContext context, StreamListener<CancelStatus> listener) {
        checkSupported(CancelSupport.FLIGHT_INFO);
        boolean stopped = stop(request.getInfo());
        listener.onNext(stopped ? CancelStatus.CANCELLED : CancelStatus.NOT_CANCELLABLE);
        listener.onCompleted();
    }

    @Override
    @SuppressWarnings("deprecation") // servers before Arrow 13 have only this one
    public void cancelQuery(FlightInfo info, CallContext context, StreamListener<CancelResult> listener) {
        checkSupported(CancelSupport.QUERY);
        listener.onNext(stop(info) ? CancelResult.CANCELLED : CancelResult.NOT_CANCELLABLE);
        listener.onCompleted();
    }

    /** A server's own action has the name of Flight SQL's, and a body that only the server understands. */
    @Override
    public void doAction(CallContext context, Action action, StreamListener<Result> listener) {
        log.add("action " + action.getType());
        if (rules.get().cancel() == CancelSupport.TICKET && action.getType().equals("CancelQuery")) {
            if (!stop(action.getBody())) {
                throw CallStatus.INVALID_ARGUMENT
                        .withDescription("no such statement")
                        .toRuntimeException();
            }
            listener.onNext(new Result("cancelled".getBytes(UTF_8)));
            listener.onCompleted();
            return;
        }
        super.doAction(context, action, listener);
    }

    private void checkSupported(CancelSupport asked) {
        CancelSupport offered = rules.get().cancel();
        if (offered == CancelSupport.NONE_INVALID_ARGUMENT) {
            throw CallStatus.INVALID_ARGUMENT.withDescription("unknown action").toRuntimeException();
        }
        if (offered != asked) {
            throw CallStatus.UNIMPLEMENTED.withDescription("no cancel").toRuntimeException();
        }
    }

    private boolean stop(FlightInfo info) {
        return stop(info.getEndpoints().get(0).getTicket().getBytes());
    }

    private boolean stop(byte[] ticket) {
        try {
            Any any = FlightSqlUtils.parseOrThrow(ticket);
            ByteString handle = any.is(TicketStatementQuery.class)
                    ? FlightSqlUtils.unpackOrThrow(any, TicketStatementQuery.class)
                            .getStatementHandle()
                    : FlightSqlUtils.unpackOrThrow(any, CommandPreparedStatementQuery.class)
                            .getPreparedStatementHandle();
            return runner.find(handle.toStringUtf8()).stopAndWait();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
