package dev.reservoir.flightsql.server;

import com.google.protobuf.Any;
import com.google.protobuf.Message;
import java.util.List;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightEndpoint;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.flight.sql.NoOpFlightSqlProducer;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetCatalogs;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetDbSchemas;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetTableTypes;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetTables;

/** Answers requests for catalog metadata with queries. */
@SuppressWarnings("try") // the interface inherits a close() that may throw anything
abstract class CatalogProducer extends NoOpFlightSqlProducer {

    /** Executes a query of the server's own in the caller's session, and streams its result. */
    abstract void streamOwn(String sql, ServerStreamListener listener);

    /**
     * The schema comes with the stream: DuckDB knows it only when it executes the statement. An empty one would mean a
     * result without columns.
     */
    static FlightInfo info(FlightDescriptor descriptor, Message ticket) {
        FlightEndpoint endpoint = new FlightEndpoint(new Ticket(Any.pack(ticket).toByteArray()));
        return new FlightInfo(null, descriptor, List.of(endpoint), -1, -1);
    }

    @Override
    public FlightInfo getFlightInfoCatalogs(
            CommandGetCatalogs request, CallContext context, FlightDescriptor descriptor) {
        return info(descriptor, request);
    }

    @Override
    public void getStreamCatalogs(CallContext context, ServerStreamListener listener) {
        streamOwn(CatalogQueries.CATALOGS, listener);
    }

    @Override
    public FlightInfo getFlightInfoSchemas(
            CommandGetDbSchemas request, CallContext context, FlightDescriptor descriptor) {
        return info(descriptor, request);
    }

    @Override
    public void getStreamSchemas(CommandGetDbSchemas command, CallContext context, ServerStreamListener listener) {
        streamOwn(CatalogQueries.schemas(command), listener);
    }

    @Override
    public FlightInfo getFlightInfoTables(CommandGetTables request, CallContext context, FlightDescriptor descriptor) {
        return info(descriptor, request);
    }

    @Override
    public void getStreamTables(CommandGetTables command, CallContext context, ServerStreamListener listener) {
        streamOwn(CatalogQueries.tables(command), listener);
    }

    @Override
    public FlightInfo getFlightInfoTableTypes(
            CommandGetTableTypes request, CallContext context, FlightDescriptor descriptor) {
        return info(descriptor, request);
    }

    @Override
    public void getStreamTableTypes(CallContext context, ServerStreamListener listener) {
        streamOwn(CatalogQueries.TABLE_TYPES, listener);
    }
}
