package dev.reservoir.flightsql;

import dev.reservoir.core.SettingException;
import dev.reservoir.flightsql.pool.RunningPool;
import dev.reservoir.flightsql.pool.StatelessCalls;
import dev.reservoir.flightsql.sql.StatementKind;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flight.sql.FlightSqlClient.ExecuteIngestOptions;
import org.apache.arrow.flight.sql.FlightSqlClient.SubstraitPlan;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest.TableDefinitionOptions;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest.TableDefinitionOptions.TableExistsOption;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest.TableDefinitionOptions.TableNotExistOption;
import org.apache.arrow.flight.sql.util.TableRef;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/**
 * Requests of Flight SQL that are not SQL: catalog metadata, bulk ingest and Substrait plans. A server that does not
 * know one of them answers with UNIMPLEMENTED or INVALID_ARGUMENT, and the call fails with
 * {@link FlightSqlException.Kind#SQL}. All methods block.
 */
public final class FlightSqlExtras {
    private final RunningPool pool;
    private final StatelessCalls calls;

    FlightSqlExtras(RunningPool pool, StatelessCalls calls) {
        this.pool = pool;
        this.calls = calls;
    }

    private QueryResult read(String operation, StatelessCalls.InfoRequest request) {
        QueryOptions options = QueryOptions.defaults();
        return new QueryResult(
                calls.run(operation, StatelessCalls.stream(request), StatementKind.READ, options), options);
    }

    // Catalog metadata.

    /** The catalogs. */
    public QueryResult catalogs() {
        return read("getCatalogs", (client, options) -> client.getCatalogs(options));
    }

    /** The schemas whose names match the pattern of SQL's LIKE. Null matches all. */
    public QueryResult schemas(@Nullable String catalog, @Nullable String schemaPattern) {
        return read("getSchemas", (client, options) -> client.getSchemas(catalog, schemaPattern, options));
    }

    /**
     * The tables whose names match. Null matches all.
     *
     * @param types the types of tables, such as {@code BASE TABLE}; empty for all
     * @param includeSchema whether each row has the table's Arrow schema
     */
    public QueryResult tables(
            @Nullable String catalog,
            @Nullable String schemaPattern,
            @Nullable String tablePattern,
            List<String> types,
            boolean includeSchema) {
        return read(
                "getTables",
                (client, options) -> client.getTables(
                        catalog, schemaPattern, tablePattern, types.isEmpty() ? null : types, includeSchema, options));
    }

    /** The types of tables that the server has. */
    public QueryResult tableTypes() {
        return read("getTableTypes", (client, options) -> client.getTableTypes(options));
    }

    /** The types of data that the server has. */
    public QueryResult typeInfo() {
        return read("getXdbcTypeInfo", (client, options) -> client.getXdbcTypeInfo(options));
    }

    /** The primary key of a table. */
    public QueryResult primaryKeys(@Nullable String catalog, @Nullable String schema, String table) {
        return read(
                "getPrimaryKeys",
                (client, options) -> client.getPrimaryKeys(TableRef.of(catalog, schema, table), options));
    }

    // Bulk ingest.

    /** What a bulk ingest does about its table. */
    public enum IngestMode {
        /** The table must exist. */
        APPEND,
        /** The table must not exist, and is created. */
        CREATE,
        /** The table is created if it does not exist. */
        CREATE_OR_APPEND,
        /** The table is dropped if it exists, and is created. */
        REPLACE
    }

    /** Writes a batch into a table. It is never sent twice. Returns how many rows the server says it has written. */
    public UpdateResult ingest(String table, VectorSchemaRoot batch, IngestMode mode, QueryOptions options) {
        if (table.isBlank()) {
            throw SettingException.missing("table", "the name of a table");
        }
        ExecuteIngestOptions how = new ExecuteIngestOptions(table, definition(mode), null, null, Map.of());
        return new UpdateResult(calls.run(
                "ingest",
                StatelessCalls.answer((client, callOptions) -> client.executeIngest(batch, how, callOptions)),
                StatementKind.WRITE,
                options.withRetry(false)));
    }

    private static TableDefinitionOptions definition(IngestMode mode) {
        TableExistsOption exists = switch (mode) {
            case APPEND, CREATE_OR_APPEND -> TableExistsOption.TABLE_EXISTS_OPTION_APPEND;
            case CREATE -> TableExistsOption.TABLE_EXISTS_OPTION_FAIL;
            case REPLACE -> TableExistsOption.TABLE_EXISTS_OPTION_REPLACE;
        };
        TableNotExistOption missing = mode == IngestMode.APPEND
                ? TableNotExistOption.TABLE_NOT_EXIST_OPTION_FAIL
                : TableNotExistOption.TABLE_NOT_EXIST_OPTION_CREATE;
        return TableDefinitionOptions.newBuilder()
                .setIfExists(exists)
                .setIfNotExist(missing)
                .build();
    }

    // Substrait.

    /** Executes a Substrait plan. It is never sent twice, since the pool does not know what it does. */
    public QueryResult substrait(byte[] plan, String version, QueryOptions options) {
        SubstraitPlan wrapped = new SubstraitPlan(plan.clone(), version);
        StatelessCalls.InfoRequest request = (client, callOptions) -> client.executeSubstrait(wrapped, callOptions);
        return new QueryResult(
                calls.run("substrait", StatelessCalls.stream(request), StatementKind.WRITE, options.withRetry(false)),
                options);
    }

    /** The name of the pool, for messages. */
    @Override
    public String toString() {
        return "FlightSqlExtras[" + pool.name() + "]";
    }
}
