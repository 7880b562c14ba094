package dev.reservoir.remote.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.remote.UserPoolStats;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** What the totals of a server say about pools that have ended. */
class ServerTotalsTest {
    private final ServerTotals totals = new ServerTotals();

    @Test
    void theEndOfAPoolIsNoActivity() {
        totals.noteActivity(0);
        assertThat(totals.lastActivity()).isNull();
        totals.noteActivity(5);
        Instant used = totals.lastActivity();
        assertThat(used).isNotNull();

        totals.add(new UserPoolStats("pg", "ann", "ann", 0, 0, 0, 0, 0, 5, 5, 1, 1, 0, 0, 0, 0, 0, 0, 0), 5);
        totals.noteActivity(0);

        assertThat(totals.lastActivity()).isSameAs(used);
    }
}
