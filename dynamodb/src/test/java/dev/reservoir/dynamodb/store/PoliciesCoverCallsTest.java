package dev.reservoir.dynamodb.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.reservoir.cluster.ClusterBudget;
import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.LeaseMode;
import dev.reservoir.cluster.PermitMode;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.core.time.SystemTime;
import dev.reservoir.dynamodb.store.IamPolicies.Scope;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The policies allow what processes really do: two share a cluster, one dies, the other takes back what it held. What
 * is asked of DynamoDB only in rare cases, such as after a lost answer, is not waited for.
 */
class PoliciesCoverCallsTest {
    private static final Set<String> RARE = Set.of("ConditionCheckItem", "GetItem");

    private final String permits = Local.table();
    private final String leases = Local.table();
    private final DynamoClient client = Local.client();

    @ParameterizedTest
    @CsvSource({"RESERVATION, SHARE", "WINDOW, COUNTER", "RESERVATION,", "WINDOW,", ", SHARE", ", COUNTER"})
    void nothingIsCalledThatIsNotAllowedAndNothingAllowedThatIsNotCalled(PermitMode permitMode, LeaseMode leaseMode) {
        Recorder.forget(permits);
        Recorder.forget(leases);
        ClusterSettings settings = ClusterSettings.builder("policies.example.com")
                .permitMode(permitMode)
                .leaseMode(leaseMode)
                .leaseTime(Duration.ofSeconds(3))
                .build();
        Member survivor = new Member(settings);
        Member victim = new Member(settings);
        survivor.open();
        victim.open();
        if (leaseMode != null || permitMode == PermitMode.RESERVATION) {
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> survivor.budget.stats().members() == 2);
            victim.time.close();
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> survivor.budget.stats().members() == 1);
        }
        survivor.close();
        victim.time.close();
        client.close();

        Map<String, Set<String>> allowed =
                IamPolicies.processActions(new Scope(permits, leases, null, null), permitMode, leaseMode);
        for (String table : Set.of(permits, leases)) {
            Set<String> needed = new TreeSet<>(allowed.getOrDefault(table, Set.of()));
            Set<String> called = Recorder.actionsOn(table);
            assertThat(needed).as("allowed on %s", table).containsAll(called);
            needed.removeAll(RARE);
            assertThat(called).as("called on %s", table).containsAll(needed);
        }
    }

    /** One process of the fleet, as far as DynamoDB can tell. */
    private final class Member {
        private final SystemTime time = new SystemTime("process");
        private final ClusterBudget budget;
        private Leases.Lease lease;

        Member(ClusterSettings settings) {
            budget = ClusterBudget.start(
                    settings,
                    settings.permitMode() == null ? null : new DynamoStore(client, permits, time::execute),
                    settings.leaseMode() == null ? null : new DynamoStore(client, leases, time::execute),
                    time,
                    InstantSource.system(),
                    new SecureRandom());
        }

        void open() {
            if (budget.permits() != null) {
                Local.wait(budget.permits().acquire(Permits.Urgency.NORMAL));
            }
            if (budget.leases() != null) {
                lease = await().atMost(Duration.ofSeconds(30))
                        .ignoreExceptions()
                        .until(() -> Local.wait(budget.leases().acquire()), got -> got != null);
            }
        }

        void close() {
            if (lease != null) {
                Local.wait(budget.leases().release(lease));
            }
            budget.close();
            time.close();
        }
    }
}
