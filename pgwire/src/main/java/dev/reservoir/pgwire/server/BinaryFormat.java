package dev.reservoir.pgwire.server;

import dev.reservoir.pgwire.PgError;
import dev.reservoir.pgwire.PgException;
import dev.reservoir.pgwire.PgType;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.math.BigDecimal;
import java.math.RoundingMode;
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
            case NUMERIC -> numeric(new BigDecimal(text));
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

    private static byte[] numeric(BigDecimal value) {
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
        BigDecimal sum = BigDecimal.ZERO;
        for (int i = 0; i < count; i++) {
            sum = sum.add(
                    BigDecimal.valueOf(value.readUnsignedShort()).scaleByPowerOfTen((weight - i) * NUMERIC_DIGITS));
        }
        BigDecimal result = sum.setScale(scale, RoundingMode.DOWN);
        return (sign == 0 ? result : result.negate()).toPlainString();
    }
}
