package dev.reservoir.dsql.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UuidsTest {
    private static final UUID SAMPLE = UUID.fromString("123e4567-e89b-12d3-a456-426614174000");

    @Test
    void bytesAndTextGoBothWays() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 1_000; i++) {
            UUID uuid = new UUID(random.nextLong(), random.nextLong());
            assertThat(Uuids.fromBytes(Uuids.toBytes(uuid))).isEqualTo(uuid);
            assertThat(Uuids.parse(Uuids.toText(uuid))).isEqualTo(uuid);
        }
        assertThat(Uuids.toBytes(SAMPLE)).startsWith(0x12, 0x3e, 0x45, 0x67).hasSize(16);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "123e4567-e89b-12d3-a456-426614174000",
                "123E4567-E89B-12D3-A456-426614174000",
                "123e4567e89b12d3a456426614174000",
                "{123e4567-e89b-12d3-a456-426614174000}",
                "urn:uuid:123e4567-e89b-12d3-a456-426614174000",
                "URN:UUID:{123E4567E89B12D3A456426614174000}",
                "  123e4567-e89b-12d3-a456-426614174000\n"
            })
    void everyUsualWayOfWritingIsRead(String text) {
        assertThat(Uuids.parse(text)).isEqualTo(SAMPLE);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ''                                     | 0 characters instead of 32 digits
            123e4567                               | 8 characters instead of 32 digits
            123e4567-e89b-12d3-a456-42661417400    | 35 characters instead of 32 digits
            123e4567-e89b-12d3-a456-42661417400g   | "g" is not a hexadecimal digit
            123e4567-e89b12-d3-a456-426614174000   | no hyphen after digit 12
            123e4567e-89b-12d3-a456-426614174000   | no hyphen after digit 8
            123e4567e89b12d3a45642661417400٣       | "٣" is not a hexadecimal digit
            """)
    void whatIsNoneIsRefusedSayingWhy(String text, String why) {
        assertThatThrownBy(() -> Uuids.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("UUID is \"" + text + "\" (" + why
                        + "); allowed: 32 hexadecimal digits, with hyphens as 8-4-4-4-12 or without");
    }

    @Test
    void aLongTextIsCut() {
        assertThatThrownBy(() -> Uuids.parse("x".repeat(10_000)))
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(250));
    }

    @Test
    void bytesAreSixteen() {
        assertThatThrownBy(() -> Uuids.fromBytes(new byte[15])).hasMessage("UUID has 15 bytes; allowed: 16");
    }
}
