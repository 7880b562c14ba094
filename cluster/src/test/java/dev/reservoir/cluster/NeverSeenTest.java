package dev.reservoir.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.cluster.Fleet.Member;
import dev.reservoir.core.spi.Permits.Urgency;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Processes that start while the table does not answer, and so have never seen how many they are. */
class NeverSeenTest {
    /** A fleet whose processes never reach the table. Each of them wants many leases. */
    private static Fleet without(int processes, UnaryOperator<ClusterSettings.Builder> settings) {
        Fleet fleet = new Fleet(it -> settings.apply(it.logged(false).maxWait(Duration.ofHours(1))));
        fleet.join(processes).forEach(member -> member.cut = true);
        fleet.run(Duration.ofSeconds(30));
        fleet.members.forEach(member -> {
            member.wantPermits(60, Urgency.URGENT);
            member.wantLeases(20);
        });
        return fleet;
    }

    private static long opened(Fleet fleet, double fromSeconds) {
        return fleet.members.stream()
                .flatMap(member -> member.permitted.stream())
                .filter(at -> at >= fromSeconds)
                .count();
    }

    @Test
    void aThousandThatShareAMissingTableKeepToTheRateAndTheLimitTogether() {
        Fleet fleet = without(1_000, UnaryOperator.identity());
        fleet.run(Duration.ofSeconds(55));
        // One each at once, which is the database's burst, and then 100 a second.
        assertThat(opened(fleet, 30)).as("connects in 55 seconds").isBetween(5_000L, 6_000L);
        assertThat(fleet.held()).as("of 10,000").isBetween(9_000, 10_000);
    }

    @Test
    void whereTheNumberOfProcessesIsSaidItIsUsed() {
        Fleet fleet = without(20, it -> it.expectedProcesses(20).limit(100));
        fleet.run(Duration.ofSeconds(10));
        assertThat(opened(fleet, 30)).isBetween(950L, 1_020L);
        assertThat(fleet.held()).isEqualTo(100);
    }

    @Test
    void aLimitThatIsNotEnoughForAllIsNotExceeded() {
        Fleet fleet = without(300, it -> it.limit(200));
        fleet.run(Duration.ofSeconds(10));
        assertThat(fleet.held()).isZero();
    }

    @Test
    void whatIsSaidIsALowerBoundForThoseWhoHaveSeenTheFleet() {
        Fleet fleet = new Fleet(it -> it.logged(false).expectedProcesses(50));
        Member one = fleet.join();
        fleet.run(Duration.ofSeconds(30));
        assertThat(one.budget.stats().members()).isEqualTo(1);
        one.cut = true;
        fleet.run(Duration.ofSeconds(30));
        double from = fleet.seconds();
        one.wantPermits(100, Urgency.URGENT);
        fleet.run(Duration.ofSeconds(20));
        assertThat(opened(fleet, from)).as("2 a second").isBetween(38L, 42L);
    }

    @Test
    void aNumberThatMakesNoSenseIsRefused() {
        ClusterSettings.Builder builder = ClusterSettings.builder("cluster.example");
        assertThatThrownBy(() -> builder.expectedProcesses(0).build())
                .hasMessage("expectedProcesses is 0; allowed: 1 to 100000");
        assertThatThrownBy(() -> ClusterSettings.builder("cluster.example")
                        .cluster("a#b")
                        .build())
                .hasMessage("cluster is \"a#b\"; allowed: 1 to 255 small letters, digits and . _ -");
    }
}
