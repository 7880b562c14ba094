package dev.reservoir.pgwire;

import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The types of columns and parameters that a {@link PgServer} can send and receive, in text and in binary format. */
public enum PgType {
    BOOL(16, 1),
    /** As text: {@code \x} and the bytes in hexadecimal digits. */
    BYTEA(17, -1),
    INT8(20, 8),
    INT2(21, 2),
    INT4(23, 4),
    TEXT(25, -1),
    OID(26, 4),
    JSON(114, -1),
    FLOAT4(700, 4),
    FLOAT8(701, 8),
    VARCHAR(1043, -1),
    /** As text: {@code 2026-01-31}. */
    DATE(1082, 4),
    /** As text: {@code 2026-01-31 23:59:59.123456}. */
    TIMESTAMP(1114, 8),
    /** As text: {@code 2026-01-31 23:59:59.123456+00}. */
    TIMESTAMPTZ(1184, 8),
    NUMERIC(1700, -1),
    UUID(2950, 16);

    private static final Map<Integer, PgType> BY_OID =
            Arrays.stream(values()).collect(Collectors.toMap(PgType::oid, Function.identity()));

    private final int oid;
    private final int bytes;

    PgType(int oid, int bytes) {
        this.oid = oid;
        this.bytes = bytes;
    }

    /** The type with this object id, or null if this module does not know it. */
    public static @Nullable PgType ofOid(int oid) {
        return BY_OID.get(oid);
    }

    /** The object id that PostgreSQL has for the type. */
    public int oid() {
        return oid;
    }

    /** The length of a value in binary format, or -1 if it varies. */
    public int bytes() {
        return bytes;
    }
}
