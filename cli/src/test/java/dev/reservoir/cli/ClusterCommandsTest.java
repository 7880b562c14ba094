package dev.reservoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.reservoir.cluster.store.Change;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** Shows and repairs a fleet's budget on DynamoDB Local from a shell. */
class ClusterCommandsTest {
    private static final String COUNT = "reservoir_count#" + LocalBudget.ENDPOINT;
    private static final String MEMBERS = "reservoir_members#" + LocalBudget.ENDPOINT + "#7";
    private static final String PERMITS = "reservoir_permits#" + LocalBudget.ENDPOINT;
    private static final String COUNTER = "dsqllease_counter#" + LocalBudget.ENDPOINT;

    private static LocalBudget budget;

    private final Shell shell = Shell.piped();
    private String table;

    @BeforeAll
    static void start() {
        budget = new LocalBudget();
    }

    @AfterAll
    static void stop() {
        budget.close();
    }

    @BeforeEach
    void makeTable(TestInfo test) {
        table = test.getTestMethod().orElseThrow().getName();
        assertThat(Shell.piped().run(budget.words("tables create " + table))).isZero();
    }

    /** A call about the endpoint and the table. */
    private int run(String command, String... options) {
        return shell.run(budget.words(
                ("cluster " + command + " orders.example --table " + table + " " + String.join(" ", options)).strip()));
    }

    @Test
    void statusSaysWhoHoldsWhat() {
        budget.join(table, "a1f0", "orders", 40, 35, 3);
        budget.join(table, "b2d4", "billing", 1_200, 1_180, 5);
        long nowMicros = System.currentTimeMillis() * 1_000;
        budget.put(table, PERMITS, Change.set("next_us", nowMicros - 3_600_000_000L), Change.set("seq", 9));

        assertThat(run("status")).as(shell.out() + shell.err()).isZero();

        assertThat(shell.err()).isEmpty();
        assertThat(shell.out())
                .startsWith("orders.example: 2 processes, permits reservation, leases share; 20")
                .contains("  process  service  host         share   used  joined         renewed\n")
                .containsPattern("  b2d4     billing  ip-10-0-0-b  1,200  1,180  2 h \\d min ago  \\d+ s ago\n")
                .containsPattern("  a1f0     orders   ip-10-0-0-a     40     35  2 h \\d min ago  \\d+ s ago\n")
                .contains("  Leases: 1,240 of 10,000 given out, which is the sum of the shares.\n")
                .contains("  Permits: 980 of 980 free; 100/s are added. Last taken at an unknown time.\n")
                .endsWith("\nOK\n");
    }

    @Test
    void statusFailsIfTheBooksAreWrong() {
        budget.join(table, "a1f0", "orders", 40, 35, 3);
        budget.update(table, COUNT, Change.add("total", 12));

        assertThat(run("status")).isEqualTo(1);

        assertThat(shell.out())
                .contains("  Leases: 52 of 10,000 given out, but the shares add up to 40.\n")
                .contains("  wrong  the count is 52, the shares are 40 together: 12 that could be given out are not\n")
                .endsWith("\nFAIL: 1 problem; reservoir cluster repair shows how to repair the counts\n");
    }

    @Test
    void statusSaysWhoIsSilent() {
        budget.join(table, "a1f0", "orders", 40, 35, 600);

        assertThat(run("status")).isZero();

        assertThat(shell.out())
                .containsPattern("1\\d min ago, SILENT\n")
                .containsPattern(
                        "  note  member a1f0 has not renewed for 1\\d min \\(lease time 60 s\\): if it is dead,");
    }

    @Test
    void watchingShowsWhoRenews() throws InterruptedException {
        budget.join(table, "a1f0", "orders", 40, 35, 3);
        budget.join(table, "b2d4", "orders", 20, 20, 3);
        AtomicBoolean over = new AtomicBoolean();
        Thread beating = new Thread(() -> {
            while (!over.get()) {
                budget.update(table, "reservoir_member#orders.example#b2d4", Change.add("beat", 1));
                LockSupport.parkNanos(20_000_000L);
            }
        });
        beating.start();
        try {
            assertThat(run("status", "--watch 3s", "--lease-time 3s")).isEqualTo(1);
        } finally {
            over.set(true);
            beating.join();
        }

        assertThat(shell.out())
                .contains("watched for ")
                .containsPattern("a1f0 .* DEAD\n")
                .containsPattern("b2d4 .* renewed [0-9,]+ times?\n")
                .containsPattern(
                        "wrong  member a1f0 was watched for \\d+.* and did not renew: it is dead and holds 40");
    }

    @Test
    void statusCountsAsGoProcessesDo() {
        budget.join(table, "a1f0", "orders", 0, 0, 3);
        for (int i = 0; i < 5; i++) {
            budget.lease(table, "0" + i, "a1f0");
            budget.lease(table, "1" + i, null);
        }
        budget.put(table, COUNTER, Change.set("active", 12));

        assertThat(run("status", "--leases counter", "--permits window"))
                .as(shell.err())
                .isZero();

        assertThat(shell.out())
                .containsPattern("  a1f0     orders   ip-10-0-0-a       5  ")
                .contains("  Leases: 12 of 10,000 counted; 5 leases of Java processes, 5 of Go processes (go-history"
                        + " 5).\n")
                .contains("  Permits: 0 of 100 taken in this second; in the last 10: 0 0 0 0 0 0 0 0 0 0\n")
                .contains("  note  the counter is 12, the leases are 10: the other 2 are connections of Go processes");
    }

    @Test
    void statusAsJsonIsNothingButJson() throws IOException {
        budget.join(table, "a1f0", "orders", 40, 35, 3);

        assertThat(run("status", "--json")).isZero();

        assertThat(shell.err()).isEmpty();
        assertThat(shell.out())
                .startsWith("{\n  \"right\": true,\n  \"endpoint\": \"orders.example\",\n")
                .contains("\"id\": \"a1f0\"", "\"share\": 40", "\"sum\": 40", "\"free\": 980", "\"findings\": [ ]");
        int objects = 0;
        try (JsonParser json = new JsonFactory().createParser(shell.out())) {
            for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
                objects += token == JsonToken.START_OBJECT ? 1 : 0;
            }
        }
        assertThat(objects).isEqualTo(4);
    }

    @Test
    void modesTablesAndLimitsComeFromTheEnvironment() {
        shell.with("DSQL_DISTRIBUTED_CONN_LEASE_TABLE", table)
                .with("DSQL_DISTRIBUTED_CONN_LEASE_MODE", "counter")
                .with("DSQL_DISTRIBUTED_CONN_LIMIT", "8000");

        assertThat(shell.run(budget.words("cluster status orders.example"))).isZero();

        assertThat(shell.out())
                .startsWith("orders.example: 0 processes, permits off, leases counter; ")
                .contains("  Leases: 0 of 8,000 counted; ");
    }

    @Test
    void whatIsOffInTheEnvironmentIsNotLookedAt() {
        shell.with("DSQL_DISTRIBUTED_CONN_LEASE_TABLE", "missing")
                .with("DSQL_DISTRIBUTED_CONN_LEASE_ENABLED", "false")
                .with("DSQL_DISTRIBUTED_RATE_LIMITER_TABLE", table)
                .with("DSQL_DISTRIBUTED_ENDPOINT_URL", budget.url());

        assertThat(shell.run("cluster", "status", "orders.example"))
                .as(shell.err())
                .isZero();

        assertThat(shell.out()).startsWith("orders.example: 0 processes, permits reservation, leases off; ");
    }

    @Test
    void aWrongVariableIsNamed() {
        shell.with("DSQL_DISTRIBUTED_CONN_LIMIT", "many");

        assertThat(run("status")).isEqualTo(2);

        assertThat(shell.err())
                .startsWith("reservoir: DSQL_DISTRIBUTED_CONN_LIMIT is 'many'; allowed: whole numbers\n");
    }

    @Test
    void aTableThatIsNotThereIsSaidInOneLine() {
        int code = shell.run(budget.words("cluster status orders.example --table missing"));

        assertThat(code).isEqualTo(1);
        assertThat(shell.err())
                .contains("there is no such table; create it with: reservoir tables create missing")
                .hasLineCount(1);
        assertThat(shell.out()).isEmpty();
    }

    @Test
    void repairOnlySaysWhatItWouldDo() {
        wrongBooks();

        assertThat(run("repair", "--lease-time 3s")).isEqualTo(1);

        assertThat(shell.err()).isEqualTo("Watching 1 process for up to 3 s, to see which processes are alive ...\n");
        assertThat(shell.out())
                .contains("  wrong  the count is 52, the shares are 40 together")
                .contains("""
                    Would be done with --apply:
                      let permits be reserved from now on, not from\
                    """)
                .contains("""
                      set the count from 52 to 40, if no share has changed
                      delete member a1f0 and take its share of 40 off the count, if it has still not renewed
                      take gone out of the member list, if it still has no item

                    FAIL: 4 steps to do; nothing was written. Repair with --apply
                    """);
        assertThat(budget.item(table, COUNT).number("total", 0)).isEqualTo(52);
    }

    @Test
    void repairDoesItIfAsked() {
        wrongBooks();

        assertThat(run("repair", "--apply", "--lease-time 3s")).as(shell.out()).isZero();

        assertThat(shell.out()).contains("\nDone:\n  let permits be").endsWith("\nOK\n");
        assertThat(budget.item(table, COUNT).number("total", -1)).isZero();
        assertThat(budget.item(table, MEMBERS).texts("ids")).isEmpty();
        assertThat(budget.item(table, PERMITS).number("seq", 0)).isEqualTo(10);
        Shell again = Shell.piped();
        assertThat(again.run(budget.words("cluster repair orders.example --apply --table " + table)))
                .isZero();
        assertThat(again.out()).isEqualTo("OK: nothing to repair\n");
    }

    private void wrongBooks() {
        budget.join(table, "a1f0", "orders", 40, 35, 3);
        budget.update(table, COUNT, Change.add("total", 12));
        budget.update(table, MEMBERS, Change.include("ids", Set.of("gone")));
        long nowMicros = System.currentTimeMillis() * 1_000;
        budget.put(table, PERMITS, Change.set("next_us", nowMicros + 7_200_000_000L), Change.set("seq", 9));
    }

    @Test
    void theCounterIsSetInAnEmergency() {
        budget.lease(table, "01", null);
        budget.put(table, COUNTER, Change.set("active", 700));

        assertThat(run("repair", "--leases counter", "--set-active 1", "--apply"))
                .isZero();

        assertThat(shell.out()).contains("  set the counter from 700 to 1, if it has not changed\n");
        assertThat(budget.item(table, COUNTER).number("active", 0)).isEqualTo(1);
    }
}
