package dev.reservoir.flightsql.value;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DateMilliVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeMilliVector;
import org.apache.arrow.vector.TimeNanoVector;
import org.apache.arrow.vector.TimeSecVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.UInt1Vector;
import org.apache.arrow.vector.UInt2Vector;
import org.apache.arrow.vector.UInt4Vector;
import org.apache.arrow.vector.UInt8Vector;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.util.Text;
import org.jspecify.annotations.Nullable;

/**
 * Reads plain Java values from Arrow vectors: {@code String}, {@code LocalDate}, {@code LocalTime}, {@code Instant} for
 * a timestamp with a time zone and {@code LocalDateTime} for one without, {@code BigInteger} for an unsigned number of
 * 64 bits, lists and maps. Values keep no reference to the vector.
 */
public final class VectorValues {
    private VectorValues() {}

    /** The value in this row, or null. */
    public static @Nullable Object get(FieldVector vector, int row) {
        if (vector.isNull(row)) {
            return null;
        }
        if (vector instanceof TimeStampVector timestamp) {
            return timestamp(timestamp, row);
        }
        if (vector instanceof DateDayVector date) {
            return LocalDate.ofEpochDay(date.get(row));
        }
        if (vector instanceof DateMilliVector date) {
            return Instant.ofEpochMilli(date.get(row)).atOffset(ZoneOffset.UTC).toLocalDate();
        }
        Object number = timeOrUnsigned(vector, row);
        return number != null ? number : plain(vector.getObject(row));
    }

    private static @Nullable Object timeOrUnsigned(FieldVector vector, int row) {
        if (vector instanceof TimeSecVector time) {
            return LocalTime.ofSecondOfDay(time.get(row));
        }
        if (vector instanceof TimeMilliVector time) {
            return LocalTime.ofNanoOfDay(time.get(row) * 1_000_000L);
        }
        if (vector instanceof TimeMicroVector time) {
            return LocalTime.ofNanoOfDay(time.get(row) * 1_000L);
        }
        if (vector instanceof TimeNanoVector time) {
            return LocalTime.ofNanoOfDay(time.get(row));
        }
        if (vector instanceof UInt1Vector number) {
            return number.get(row) & 0xFF;
        }
        if (vector instanceof UInt2Vector number) {
            return (int) number.get(row);
        }
        if (vector instanceof UInt8Vector number) {
            return number.getObjectNoOverflow(row);
        }
        return vector instanceof UInt4Vector number ? Integer.toUnsignedLong(number.get(row)) : null;
    }

    private static Object timestamp(TimeStampVector vector, int row) {
        ArrowType.Timestamp type = (ArrowType.Timestamp) vector.getField().getType();
        Instant instant = Instant.EPOCH.plus(vector.get(row), unit(type.getUnit()));
        return type.getTimezone() != null ? instant : LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
    }

    private static ChronoUnit unit(TimeUnit unit) {
        return switch (unit) {
            case SECOND -> ChronoUnit.SECONDS;
            case MILLISECOND -> ChronoUnit.MILLIS;
            case MICROSECOND -> ChronoUnit.MICROS;
            case NANOSECOND -> ChronoUnit.NANOS;
        };
    }

    /** Replaces Arrow's texts, also inside lists and structures. */
    private static @Nullable Object plain(@Nullable Object value) {
        if (value instanceof Text) {
            return value.toString();
        }
        if (value instanceof List<?> list) {
            List<@Nullable Object> plain = new ArrayList<>(list.size());
            list.forEach(element -> plain.add(plain(element)));
            return Collections.unmodifiableList(plain);
        }
        if (value instanceof Map<?, ?> map) {
            Map<String, @Nullable Object> plain = new LinkedHashMap<>();
            map.forEach((key, element) -> plain.put(String.valueOf(key), plain(element)));
            return Collections.unmodifiableMap(plain);
        }
        return value;
    }
}
