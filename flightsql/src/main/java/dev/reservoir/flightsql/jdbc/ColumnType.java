package dev.reservoir.flightsql.jdbc;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.pojo.ArrowType;

/**
 * What JDBC says of an Arrow type.
 *
 * @param code one of {@link Types}
 * @param name the name of the type in SQL
 * @param javaClass the class of the values of such a column
 * @param precision how many digits or characters a value has at most; 0 if there is no limit
 * @param width how many characters a value needs at most as a text
 */
record ColumnType(int code, String name, Class<?> javaClass, int precision, int scale, int width, boolean signed) {

    private ColumnType(int code, String name, Class<?> javaClass, int precision) {
        this(code, name, javaClass, precision, 0, precision, false);
    }

    /** Texts and other values without a limit. */
    private static final int UNLIMITED = Integer.MAX_VALUE;

    private static ColumnType unlimited(int code, String name, Class<?> javaClass) {
        return new ColumnType(code, name, javaClass, 0, 0, UNLIMITED, false);
    }

    static ColumnType of(ArrowType type) {
        return switch (type.getTypeID()) {
            case Null -> new ColumnType(Types.NULL, "NULL", Object.class, 0);
            case Bool -> new ColumnType(Types.BOOLEAN, "BOOLEAN", Boolean.class, 1, 0, 5, false);
            case Int -> integer((ArrowType.Int) type);
            case FloatingPoint -> floating(((ArrowType.FloatingPoint) type).getPrecision());
            case Decimal -> decimal((ArrowType.Decimal) type);
            case Utf8, LargeUtf8, Utf8View -> unlimited(Types.VARCHAR, "VARCHAR", String.class);
            case Binary, LargeBinary, BinaryView -> unlimited(Types.VARBINARY, "VARBINARY", byte[].class);
            case FixedSizeBinary -> {
                int bytes = ((ArrowType.FixedSizeBinary) type).getByteWidth();
                yield new ColumnType(Types.BINARY, "BINARY", byte[].class, bytes, 0, 2 * bytes, false);
            }
            case Date -> new ColumnType(Types.DATE, "DATE", LocalDate.class, 10);
            case Time -> new ColumnType(Types.TIME, "TIME", LocalTime.class, 18);
            case Timestamp ->
                ((ArrowType.Timestamp) type).getTimezone() == null
                        ? new ColumnType(Types.TIMESTAMP, "TIMESTAMP", LocalDateTime.class, 29)
                        : new ColumnType(Types.TIMESTAMP_WITH_TIMEZONE, "TIMESTAMP WITH TIME ZONE", Instant.class, 35);
            case List, LargeList, FixedSizeList, ListView, LargeListView -> unlimited(Types.ARRAY, "ARRAY", List.class);
            case Struct -> unlimited(Types.STRUCT, "STRUCT", Map.class);
            case Map -> unlimited(Types.JAVA_OBJECT, "MAP", List.class);
            case Duration -> unlimited(Types.OTHER, "INTERVAL", Duration.class);
            default -> unlimited(Types.OTHER, type.getTypeID().name().toUpperCase(java.util.Locale.ROOT), Object.class);
        };
    }

    private static ColumnType integer(ArrowType.Int type) {
        boolean signed = type.getIsSigned();
        return switch (type.getBitWidth()) {
            case 8 -> signed ? number(Types.TINYINT, "TINYINT", Byte.class, 3, true) : small(3);
            case 16 ->
                signed
                        ? number(Types.SMALLINT, "SMALLINT", Short.class, 5, true)
                        : number(Types.INTEGER, "INTEGER", Integer.class, 5, false);
            case 32 ->
                signed
                        ? number(Types.INTEGER, "INTEGER", Integer.class, 10, true)
                        : number(Types.BIGINT, "BIGINT", Long.class, 10, false);
            default ->
                signed
                        ? number(Types.BIGINT, "BIGINT", Long.class, 19, true)
                        : number(Types.NUMERIC, "NUMERIC", BigInteger.class, 20, false);
        };
    }

    private static ColumnType small(int digits) {
        return number(Types.SMALLINT, "SMALLINT", Integer.class, digits, false);
    }

    private static ColumnType number(int code, String name, Class<?> javaClass, int digits, boolean signed) {
        return new ColumnType(code, name, javaClass, digits, 0, digits + (signed ? 1 : 0), signed);
    }

    private static ColumnType floating(FloatingPointPrecision precision) {
        return precision == FloatingPointPrecision.DOUBLE
                ? new ColumnType(Types.DOUBLE, "DOUBLE", Double.class, 17, 0, 24, true)
                : new ColumnType(Types.REAL, "REAL", Float.class, 9, 0, 15, true);
    }

    /** One more character for the sign and one for the point. */
    private static ColumnType decimal(ArrowType.Decimal type) {
        int digits = type.getPrecision();
        return new ColumnType(Types.DECIMAL, "DECIMAL", BigDecimal.class, digits, type.getScale(), digits + 2, true);
    }
}
