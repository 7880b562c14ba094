package dev.reservoir.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.metrics.micrometer.MicrometerMetrics;
import dev.reservoir.testkit.PublicApiPage;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The page of public types lists every type that this module exports, and no other. */
class PublicApiTest {
    @Test
    void thePageListsEveryExportedTypeAndNoOther() throws Exception {
        Set<String> exported = PublicApiPage.exportedTypes(MicrometerMetrics.class);
        assertThat(exported).contains("dev.reservoir.metrics.micrometer.MicrometerMetrics");
        assertThat(PublicApiPage.listedTypes(
                        name -> name.equals("metrics.micrometer") || name.equals("metrics.opentelemetry")))
                .isEqualTo(exported);
    }
}
