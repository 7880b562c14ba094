package dev.reservoir.pgwire.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.pgwire.PgException;
import dev.reservoir.pgwire.PgType;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.math.BigDecimal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BinaryFormatTest {
    /** The bytes are those that PostgreSQL's functions such as int4send and numeric_send return. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            BOOL | t | 01
            BOOL | f | 00
            BYTEA | \\x00ff | 00ff
            INT2 | -2 | fffe
            INT4 | 1 | 00000001
            INT8 | -1 | ffffffffffffffff
            OID | 4294967295 | ffffffff
            TEXT | grün | 6772c3bc6e
            FLOAT4 | 1.5 | 3fc00000
            FLOAT8 | -2.0 | c000000000000000
            DATE | 2000-01-02 | 00000001
            DATE | 1999-12-31 | ffffffff
            TIMESTAMP | 2000-01-01 00:00:01 | 00000000000f4240
            TIMESTAMP | 2000-01-01 00:00:00.000001 | 0000000000000001
            TIMESTAMPTZ | 1999-12-31 23:59:59+00 | fffffffffff0bdc0
            NUMERIC | 1 | 0001000000000000_0001
            NUMERIC | -12345.678 | 0003000140000003_0001_0929_1a7c
            UUID | 00000000-0000-0001-0000-000000000002 | 00000000000000010000000000000002
            """)
    void bothDirectionsFit(PgType type, String text, String hex) {
        byte[] bytes = ByteBufUtil.decodeHexDump(hex.replace("_", ""));
        assertThat(ByteBufUtil.hexDump(BinaryFormat.encode(type, text))).isEqualTo(ByteBufUtil.hexDump(bytes));
        assertThat(BinaryFormat.decode(type, Unpooled.wrappedBuffer(bytes))).isEqualTo(text);
    }

    /** PostgreSQL itself leaves out digits that are zero at both ends. */
    @ParameterizedTest
    @CsvSource({
        "0, 0000000000000000",
        "0.00, 0000000000000002",
        "0.0001, 0001ffff000000040001",
        "10000, 00010001000000000001",
        "-0.5, 0001ffff400000011388"
    })
    void numericsOfPostgresAreUnderstood(String text, String hex) {
        assertThat(BinaryFormat.decode(PgType.NUMERIC, Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex))))
                .isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0", "0.00", "0.0001", "-0.10", "1", "9999", "10000", "123456789012345678901234567890.123456789", "-7.5"
    })
    void aNumericSurvivesBothDirections(String text) {
        assertThat(BinaryFormat.decode(
                        PgType.NUMERIC, Unpooled.wrappedBuffer(BinaryFormat.encode(PgType.NUMERIC, text))))
                .isEqualTo(text);
    }

    /** PostgreSQL has the same limits. */
    @ParameterizedTest
    @ValueSource(strings = {"1e1000000000", "1e131072", "1e-16384", "-1e2147483647", "1e-2147483647"})
    void aNumericOfAbsurdSizeIsRefused(String text) {
        assertThatThrownBy(() -> BinaryFormat.encode(PgType.NUMERIC, text))
                .isInstanceOf(PgException.class)
                .hasMessageStartingWith("22003 value overflows numeric format: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e131071", "1e-16383"})
    void theLargestNumericsSurviveBothDirections(String text) {
        byte[] bytes = BinaryFormat.encode(PgType.NUMERIC, text);
        assertThat(BinaryFormat.decode(PgType.NUMERIC, Unpooled.wrappedBuffer(bytes)))
                .isEqualTo(new BigDecimal(text).toPlainString());
    }

    @Test
    void aTimestampWithAnotherOffsetIsTheSameInstant() {
        assertThat(BinaryFormat.encode(PgType.TIMESTAMPTZ, "2026-01-31 12:00:00+05:30"))
                .isEqualTo(BinaryFormat.encode(PgType.TIMESTAMPTZ, "2026-01-31 06:30:00+00"));
    }

    @Test
    void bytesThatAreNoValueAreRefused() {
        assertThatThrownBy(() -> BinaryFormat.decode(PgType.INT4, Unpooled.wrappedBuffer(new byte[3])))
                .isInstanceOf(PgException.class)
                .hasMessage("22P03 incorrect binary data format: 3 bytes for type INT4");
        assertThatThrownBy(() -> BinaryFormat.decode(PgType.NUMERIC, Unpooled.wrappedBuffer(new byte[7])))
                .isInstanceOf(PgException.class);
    }
}
