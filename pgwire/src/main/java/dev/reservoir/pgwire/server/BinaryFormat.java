package dev.reservoir.pgwire.server;

import dev.reservoir.pgwire.PgError;
import dev.reservoir.pgwire.PgException;
import dev.reservoir.pgwire.PgType;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.UUID;

/** Converts values between the text format and the binary format of PostgreSQL. */
final class BinaryFormat {
    private static final LocalDate EPOCH_DAY = LocalDate.of(2000, 1, 1);
    private static final LocalDateTime EPOCH = EPOCH_DAY.atStartOfDay();

    private static final DateTimeFormatter TIMESTAMP = new DateTimeFormatterBuilder()
            .append(DateTimeFormatter.ISO_LOCAL_DATE)
            .appendLiteral(' ')
            .appendPattern("HH:mm:ss")
            .appendFraction(ChronoField.MICRO_OF_SECOND, 0, 6, true)
            .toFormatter(Locale.ROOT);
    private static final DateTimeFormatter TIMESTAMPTZ = new DateTimeFormatterBuilder()
            .append(TIMESTAMP)
            .appendOffset("+HH:mm", "+00")
            .toFormatter(Locale.ROOT);

    /** A numeric in binary format has digits of four decimal digits each. */
    private static final int NUMERIC_DIGITS = 4;

    private static final int NUMERIC_NEGATIVE = 0x4000;
    private static final int NUMERIC_HEADER = 8;

    /** Most decimal digits before the point and after it. PostgreSQL has the same limits. */
    private static final int NUMERIC_WHOLE_MAX = 131_072;

    private static final int NUMERIC_SCALE_MAX = 16_383;

    private BinaryFormat() {}

    /** A value in binary format. Throws {@link RuntimeException} if the text is not a value of the type. */
    static byte[] encode(PgType type, String text) {
        return switch (type) {
            case TEXT, VARCHAR, JSON -> text.getBytes(StandardCharsets.UTF_8);
            case BYTEA -> ByteBufUtil.decodeHexDump(text, 2, text.length() - 2);
            case BOOL -> new byte[] {(byte) (text.startsWith("t") ? 1 : 0)};
            case INT2 -> bytes(Unpooled.buffer(2).writeShort(Short.parseShort(text)));
            case INT4 -> bytes(Unpooled.buffer(4).writeInt(Integer.parseInt(text)));
            case OID -> bytes(Unpooled.buffer(4).writeInt(Integer.parseUnsignedInt(text)));
            case INT8 -> bytes(Unpooled.buffer(8).writeLong(Long.parseLong(text)));
            case FLOAT4 -> bytes(Unpooled.buffer(4).writeFloat(Float.parseFloat(text)));
            case FLOAT8 -> bytes(Unpooled.buffer(8).writeDouble(Double.parseDouble(text)));
            case NUMERIC -> numeric(text);
            case DATE ->
                bytes(Unpooled.buffer(4).writeInt((int) ChronoUnit.DAYS.between(EPOCH_DAY, LocalDate.parse(text))));
            case TIMESTAMP -> micros(LocalDateTime.parse(text, TIMESTAMP));
            case TIMESTAMPTZ ->
                micros(OffsetDateTime.parse(text, TIMESTAMPTZ)
                        .withOffsetSameInstant(ZoneOffset.UTC)
                        .toLocalDateTime());
            case UUID -> {
                UUID uuid = UUID.fromString(text);
                yield bytes(Unpooled.buffer(16)
                        .writeLong(uuid.getMostSignificantBits())
                        .writeLong(uuid.getLeastSignificantBits()));
            }
        };
    }

    /** A value as text, from all bytes of a buffer. */
    static String decode(PgType type, ByteBuf value) {
        int length = value.readableBytes();
        if (type.bytes() >= 0 ? length != type.bytes() : type == PgType.NUMERIC && length < NUMERIC_HEADER) {
            throw new PgException(
                    PgError.error("22P03", "incorrect binary data format: " + length + " bytes for type " + type));
        }
        return switch (type) {
            case TEXT, VARCHAR, JSON -> value.toString(StandardCharsets.UTF_8);
            case BYTEA -> "\\x" + ByteBufUtil.hexDump(value);
            case BOOL -> value.readByte() == 0 ? "f" : "t";
            case INT2 -> Short.toString(value.readShort());
            case INT4 -> Integer.toString(value.readInt());
            case OID -> Integer.toUnsignedString(value.readInt());
            case INT8 -> Long.toString(value.readLong());
            case FLOAT4 -> Float.toString(value.readFloat());
            case FLOAT8 -> Double.toString(value.readDouble());
            case NUMERIC -> numeric(value);
            case DATE -> EPOCH_DAY.plusDays(value.readInt()).toString();
            case TIMESTAMP -> TIMESTAMP.format(EPOCH.plus(value.readLong(), ChronoUnit.MICROS));
            case TIMESTAMPTZ ->
                TIMESTAMPTZ.format(
                        EPOCH.plus(value.readLong(), ChronoUnit.MICROS).atOffset(ZoneOffset.UTC));
            case UUID -> new UUID(value.readLong(), value.readLong()).toString();
        };
    }

    private static byte[] bytes(ByteBuf buffer) {
        return ByteBufUtil.getBytes(buffer);
    }

    private static byte[] micros(LocalDateTime time) {
        return bytes(Unpooled.buffer(8).writeLong(ChronoUnit.MICROS.between(EPOCH, time)));
    }

    private static byte[] numeric(String text) {
        if (text.length() > 2 * NUMERIC_WHOLE_MAX) {
            throw overflow(text.length() + " characters");
        }
        BigDecimal value = new BigDecimal(text);
        long wholeLength = (long) value.precision() - value.scale();
        if (wholeLength > NUMERIC_WHOLE_MAX || value.scale() > NUMERIC_SCALE_MAX) {
            throw overflow(wholeLength + " digits before the point and " + value.scale() + " after it");
        }
        int scale = Math.max(0, value.scale());
        String plain = value.abs().setScale(scale).toPlainString();
        int point = scale == 0 ? plain.length() : plain.length() - scale - 1;
        int wholeDigits = (point + NUMERIC_DIGITS - 1) / NUMERIC_DIGITS;
        String whole = "0".repeat(wholeDigits * NUMERIC_DIGITS - point) + plain.substring(0, point);
        String fraction = scale == 0 ? "" : plain.substring(point + 1);
        String padded = whole + fraction + "0".repeat(Math.floorMod(-fraction.length(), NUMERIC_DIGITS));
        ByteBuf out = Unpooled.buffer();
        out.writeShort(padded.length() / NUMERIC_DIGITS);
        out.writeShort(wholeDigits - 1);
        out.writeShort(value.signum() < 0 ? NUMERIC_NEGATIVE : 0);
        out.writeShort(scale);
        for (int at = 0; at < padded.length(); at += NUMERIC_DIGITS) {
            out.writeShort(Integer.parseInt(padded.substring(at, at + NUMERIC_DIGITS)));
        }
        return bytes(out);
    }

    private static String numeric(ByteBuf value) {
        int count = value.readUnsignedShort();
        int weight = value.readShort();
        int sign = value.readUnsignedShort();
        int scale = value.readUnsignedShort();
        if (sign != 0 && sign != NUMERIC_NEGATIVE) {
            throw new PgException(PgError.error("0A000", "NaN and infinity are not supported"));
        }
        if (scale > NUMERIC_SCALE_MAX || value.readableBytes() != 2 * count) {
            throw new PgException(PgError.error(
                    "22P03",
                    "incorrect binary data format: a numeric with " + count + " digits, " + scale
                            + " decimals after the point, and " + value.readableBytes() + " bytes"));
        }
        // The value is digits * 10000^(weight - count + 1). Text costs less than arithmetic with such long numbers.
        StringBuilder digits = new StringBuilder("0".repeat(NUMERIC_DIGITS * Math.max(0, -1 - weight)));
        for (int i = 0; i < count; i++) {
            int digit = value.readUnsignedShort();
            if (digit > 9_999) {
                throw new PgException(PgError.error("22P03", "incorrect binary data format: numeric digit " + digit));
            }
            digits.append(Integer.toString(10_000 + digit), 1, 1 + NUMERIC_DIGITS);
        }
        int point = NUMERIC_DIGITS * Math.max(0, weight + 1);
        digits.append("0".repeat(Math.max(0, point + scale - digits.length())));
        String whole = digits.substring(0, point).replaceFirst("^0+", "");
        String fraction = digits.substring(point, point + scale);
        boolean isZero = whole.isEmpty() && fraction.matches("0*");
        return (sign == 0 || isZero ? "" : "-") + (whole.isEmpty() ? "0" : whole) + (scale == 0 ? "" : "." + fraction);
    }

    private static PgException overflow(String what) {
        return new PgException(PgError.error(
                "22003",
                "value overflows numeric format: " + what + "; allowed: " + NUMERIC_WHOLE_MAX
                        + " digits before the point and " + NUMERIC_SCALE_MAX + " after it"));
    }
}
