package dev.reservoir.flightsql.value;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reservoir.core.SettingException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeStampMicroTZVector;
import org.apache.arrow.vector.TimeStampMicroVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/** Writes plain Java values into an Arrow batch of one row, for the parameters of a statement. */
public final class ParameterBatch {
    private static final String ALLOWED =
            "null, Boolean, Integer, Short, Byte, Long, BigInteger, Float, Double, BigDecimal,"
                    + " String, Character, Enum, UUID, byte[], LocalDate, LocalTime, LocalDateTime, Instant or OffsetDateTime";

    /** The most digits of Arrow's 128-bit decimal. */
    private static final int DECIMAL_DIGITS_MAX = 38;

    private ParameterBatch() {}

    /** Creates the batch, which the caller closes. */
    public static VectorSchemaRoot of(List<? extends @Nullable Object> values, BufferAllocator allocator) {
        List<FieldVector> vectors = new ArrayList<>();
        try {
            for (int i = 0; i < values.size(); i++) {
                FieldVector vector = vector("$" + (i + 1), values.get(i), allocator);
                vectors.add(vector);
                vector.setValueCount(1);
            }
        } catch (RuntimeException e) {
            vectors.forEach(FieldVector::close);
            throw e;
        }
        VectorSchemaRoot root = new VectorSchemaRoot(vectors);
        root.setRowCount(1);
        return root;
    }

    private static FieldVector vector(String name, @Nullable Object value, BufferAllocator allocator) {
        if (value == null) {
            return new VarCharVector(name, allocator);
        }
        FieldVector vector = number(name, value, allocator);
        if (vector == null) {
            vector = time(name, value, allocator);
        }
        if (vector != null) {
            return vector;
        }
        if (value instanceof Boolean flag) {
            BitVector bits = new BitVector(name, allocator);
            bits.setSafe(0, flag ? 1 : 0);
            return bits;
        }
        if (value instanceof byte[] bytes) {
            VarBinaryVector binary = new VarBinaryVector(name, allocator);
            binary.setSafe(0, bytes);
            return binary;
        }
        if (value instanceof CharSequence
                || value instanceof Character
                || value instanceof Enum
                || value instanceof java.util.UUID) {
            VarCharVector text = new VarCharVector(name, allocator);
            text.setSafe(0, value.toString().getBytes(UTF_8));
            return text;
        }
        // The value itself may be a secret, so only its type is shown.
        throw new SettingException("parameter " + name, value.getClass().getName(), ALLOWED);
    }

    private static @Nullable FieldVector number(String name, Object value, BufferAllocator allocator) {
        if (value instanceof Integer || value instanceof Short || value instanceof Byte) {
            IntVector vector = new IntVector(name, allocator);
            vector.setSafe(0, ((Number) value).intValue());
            return vector;
        }
        if (value instanceof Long number) {
            BigIntVector vector = new BigIntVector(name, allocator);
            vector.setSafe(0, number);
            return vector;
        }
        if (value instanceof Double number) {
            Float8Vector vector = new Float8Vector(name, allocator);
            vector.setSafe(0, number);
            return vector;
        }
        if (value instanceof Float number) {
            Float4Vector vector = new Float4Vector(name, allocator);
            vector.setSafe(0, number);
            return vector;
        }
        if (value instanceof BigInteger number) {
            return decimal(name, new BigDecimal(number), allocator);
        }
        return value instanceof BigDecimal number ? decimal(name, number, allocator) : null;
    }

    private static FieldVector decimal(String name, BigDecimal value, BufferAllocator allocator) {
        BigDecimal scaled = value.scale() < 0 ? value.setScale(0) : value;
        if (scaled.precision() > DECIMAL_DIGITS_MAX || scaled.scale() > DECIMAL_DIGITS_MAX) {
            throw new SettingException(
                    "parameter " + name,
                    "a decimal with " + Math.max(scaled.precision(), scaled.scale()) + " digits",
                    "at most " + DECIMAL_DIGITS_MAX + " digits");
        }
        int precision = Math.max(scaled.precision(), scaled.scale());
        DecimalVector vector = new DecimalVector(name, allocator, Math.max(1, precision), scaled.scale());
        vector.setSafe(0, scaled);
        return vector;
    }

    private static @Nullable FieldVector time(String name, Object value, BufferAllocator allocator) {
        if (value instanceof LocalDate date) {
            DateDayVector vector = new DateDayVector(name, allocator);
            vector.setSafe(0, Math.toIntExact(date.toEpochDay()));
            return vector;
        }
        if (value instanceof LocalTime time) {
            TimeMicroVector vector = new TimeMicroVector(name, allocator);
            vector.setSafe(0, time.toNanoOfDay() / 1_000);
            return vector;
        }
        if (value instanceof LocalDateTime local) {
            TimeStampMicroVector vector = new TimeStampMicroVector(name, allocator);
            vector.setSafe(0, micros(local.toInstant(ZoneOffset.UTC)));
            return vector;
        }
        if (value instanceof OffsetDateTime offset) {
            return instant(name, offset.toInstant(), allocator);
        }
        return value instanceof Instant instant ? instant(name, instant, allocator) : null;
    }

    private static FieldVector instant(String name, Instant instant, BufferAllocator allocator) {
        TimeStampMicroTZVector vector = new TimeStampMicroTZVector(name, allocator, "UTC");
        vector.setSafe(0, micros(instant));
        return vector;
    }

    private static long micros(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }
}
