package dev.reservoir.sim.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.reservoir.sim.result.Sample;
import java.io.IOException;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ThinnedSamplesTest {
    private final SplittableRandom random = new SplittableRandom(3);
    private final List<Sample> samples = Noise.samples("orders", 1_000, random);

    @Test
    void fewSamplesStayAsTheyAre() {
        ThinnedSamples thinned = new ThinnedSamples(samples, 1_000);

        assertThat(thinned.samplesPerPoint()).isEqualTo(1);
        assertThat(thinned.atLowest(Sample::ready))
                .containsExactly(samples.stream().mapToLong(Sample::ready).toArray());
        assertThat(thinned.most(Sample::opening))
                .containsExactly(samples.stream().mapToLong(Sample::opening).toArray());
    }

    @Test
    void noMoreThanTheAllowedPointsAreLeft() {
        for (int most : new int[] {1, 7, 333, 999}) {
            assertThat(new ThinnedSamples(samples, most).last(Sample::atNanos)).hasSizeLessThanOrEqualTo(most);
        }
    }

    @Test
    void theHighestWaitAndTheLowestUsableAreStillThere() {
        ThinnedSamples thinned = new ThinnedSamples(samples, 150);

        assertThat(Arrays.stream(thinned.most(s -> s.waits().maxNanos())).max())
                .hasValue(samples.stream()
                        .mapToLong(s -> s.waits().maxNanos())
                        .max()
                        .getAsLong());
        assertThat(Arrays.stream(thinned.atLowest(Sample::usable)).min())
                .hasValue(samples.stream().mapToLong(Sample::usable).min().getAsLong());
    }

    @Test
    void nothingThatWasCountedIsLost() {
        ThinnedSamples thinned = new ThinnedSamples(samples, 150);
        Sample last = samples.get(samples.size() - 1);

        assertThat(Arrays.stream(thinned.growth(Sample::checkouts)).sum()).isEqualTo(last.checkouts());
        assertThat(Arrays.stream(thinned.growth(Sample::allDiscards)).sum()).isEqualTo(last.allDiscards());
    }

    @Test
    void packedNumbersUnpackToWhatTheyWere() throws IOException {
        for (int round = 0; round < 200; round++) {
            long[] values = new long[random.nextInt(1, 40)];
            for (int i = 1; i < values.length; i++) {
                values[i] = random.nextInt(3) == 0 ? random.nextLong(-5, 1_000_000) : values[i - 1];
            }
            Json json = Json.read(packed(values));
            if (Arrays.stream(values).allMatch(v -> v == 0)) {
                assertThat(json.has("numbers")).isFalse();
            } else {
                assertThat(json.get("numbers").series())
                        .containsExactlyElementsOf(Arrays.stream(values).boxed().toList());
            }
        }
    }

    private static String packed(long[] values) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            json.writeStartObject();
            PackedSeries.write(json, "numbers", values);
            json.writeEndObject();
        }
        return text.toString();
    }
}
