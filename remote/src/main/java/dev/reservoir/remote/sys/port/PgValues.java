package dev.reservoir.remote.sys.port;

import dev.reservoir.pgwire.PgType;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** The types and values of H2 as PostgreSQL's clients expect them. */
final class PgValues {
    private PgValues() {}

    /** The type for a constant of {@link Types}. A type without a counterpart is sent as text. */
    static PgType type(int jdbcType) {
        return switch (jdbcType) {
            case Types.BOOLEAN, Types.BIT -> PgType.BOOL;
            case Types.TINYINT, Types.SMALLINT -> PgType.INT2;
            case Types.INTEGER -> PgType.INT4;
            case Types.BIGINT -> PgType.INT8;
            case Types.REAL -> PgType.FLOAT4;
            case Types.FLOAT, Types.DOUBLE -> PgType.FLOAT8;
            case Types.NUMERIC, Types.DECIMAL -> PgType.NUMERIC;
            case Types.VARCHAR, Types.CHAR -> PgType.VARCHAR;
            case Types.DATE -> PgType.DATE;
            case Types.TIMESTAMP -> PgType.TIMESTAMP;
            case Types.TIMESTAMP_WITH_TIMEZONE -> PgType.TIMESTAMPTZ;
            case Types.BINARY, Types.VARBINARY, Types.BLOB -> PgType.BYTEA;
            default -> PgType.TEXT;
        };
    }

    /** The text of a value. Null for the null of SQL. */
    static @Nullable String text(ResultSet result, int column, PgType type) throws SQLException {
        switch (type) {
            case BOOL -> {
                boolean value = result.getBoolean(column);
                return result.wasNull() ? null : value ? "t" : "f";
            }
            case BYTEA -> {
                byte[] value = result.getBytes(column);
                return value == null ? null : "\\x" + HexFormat.of().formatHex(value);
            }
            default -> {
                return result.getString(column);
            }
        }
    }
}
