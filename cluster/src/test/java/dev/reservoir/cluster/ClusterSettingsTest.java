package dev.reservoir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.cluster.permits.ReservationPermits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What a budget keeps back, and that the documentation says the same of it everywhere. */
class ClusterSettingsTest {
    private static int usableBurst(double ratePerSecond, int burst) {
        return ReservationPermits.usableBurst(ClusterSettings.builder("cluster.example")
                .ratePerSecond(ratePerSecond)
                .burst(burst)
                .build());
    }

    @Test
    void theConnectsOfAFifthOfASecondAreKeptBackFromTheBurst() {
        assertThat(usableBurst(100, 1_000)).isEqualTo(980);
        assertThat(usableBurst(50, 500)).isEqualTo(490);
    }

    @Test
    void aBurstOfNotMoreThanTwiceThatIsUsedAsItIs() {
        assertThat(usableBurst(100, 41)).isEqualTo(21);
        assertThat(usableBurst(100, 40)).isEqualTo(40);
        assertThat(usableBurst(100, 1)).isEqualTo(1);
    }

    @Test
    void theDocumentationSaysSo() throws IOException {
        Path docs = Path.of("..", "docs");
        assertThat(Files.readString(docs.resolve("sharing-a-cluster.md")))
                .contains("a fifth of a second's worth (20 of 1,000) is kept back");
        assertThat(Files.readString(docs.resolve("scenarios.md")))
                .contains("keeps the connects of a fifth of a second back, if its burst is more than twice that: 20 of"
                        + " 1,000 at 100 a second");
    }
}
