package dev.reservoir.dynamodb.processes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.reservoir.dynamodb.local.LocalDynamoDb;
import dev.reservoir.dynamodb.store.DynamoClient;
import dev.reservoir.dynamodb.store.DynamoTables;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.awaitility.core.ThrowingRunnable;

/** The processes, the server that they connect to, and the store in which they count. All dead once this is closed. */
public final class Fleet implements AutoCloseable {
    private static final String TABLE = "fleet";

    /** Far more than it takes on a machine that has other work. */
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private final Path folder;
    private final FleetRules rules;
    private final LocalDynamoDb store = LocalDynamoDb.start();
    private final ThrottlingProxy way = new ThrottlingProxy(store.endpoint());
    private final ConnectRecord connects = new ConnectRecord(Rules.LIMIT);
    private final RationedServer server = new RationedServer(connects);
    private final BudgetItems items;
    private final List<WorkerProcess> all = new ArrayList<>();
    private final List<WorkerProcess> living = new ArrayList<>();

    public Fleet(Path folder) {
        this(folder, FleetRules.USUAL);
    }

    public Fleet(Path folder, FleetRules rules) {
        this.folder = folder;
        this.rules = rules;
        try (DynamoClient client = DynamoClient.shared(null, store.endpoint())) {
            // The first calls of a process are slow, and on a busy machine too slow for their timeout.
            await("the table").atMost(PATIENCE).ignoreExceptions().until(() -> {
                new DynamoTables(client).create(TABLE);
                return true;
            });
        }
        items = new BudgetItems(store.endpoint(), TABLE, rules.leaseMode());
    }

    /** The way that all of them have to the store. */
    ThrottlingProxy way() {
        return way;
    }

    ConnectRecord connects() {
        return connects;
    }

    BudgetItems items() {
        return items;
    }

    List<WorkerProcess> living() {
        return List.copyOf(living);
    }

    /** Starts so many processes, which do not begin yet. */
    List<WorkerProcess> start(int processes) {
        List<WorkerProcess> some = new ArrayList<>();
        for (int i = 0; i < processes; i++) {
            String name = "p" + (all.size() + 1);
            WorkerProcess started = new WorkerProcess(name, server.port(), way.endpoint(), TABLE, folder, rules);
            all.add(started);
            living.add(started);
            some.add(started);
        }
        return some;
    }

    /** Kills these, all at once. */
    void kill(List<WorkerProcess> some) {
        // What the dead held is closed by the system, but the server may hear of it late.
        connects.excuse(names(some));
        living.removeAll(some);
        some.forEach(WorkerProcess::kill);
    }

    static Set<String> names(List<WorkerProcess> some) {
        return some.stream().map(WorkerProcess::name).collect(Collectors.toSet());
    }

    static void eventually(String what, ThrowingRunnable assertion) {
        await(what).atMost(PATIENCE).pollInterval(Duration.ofMillis(50)).untilAsserted(assertion);
    }

    /** Ends all processes in order, and waits until they are gone and the items of the budget are empty. */
    void endAll() {
        List<WorkerProcess> all = living();
        long begun = System.nanoTime();
        all.forEach(WorkerProcess::end);
        eventually("the end of all", () -> assertThat(all).noneMatch(WorkerProcess::isAlive));
        eventually("empty items", () -> {
            BudgetItems.Page page = items.latest();
            assertThat(page.askedNanos()).isGreaterThan(begun);
            assertThat(page.total()).isZero();
            assertThat(page.members()).isEmpty();
        });
        assertThat(items.keysOfMembers()).isEmpty();
    }

    /** Waits until the items name those who live and nobody else, and say of each what it thinks itself. */
    void awaitExactItems() {
        eventually("exact counts", () -> {
            BudgetItems.Page page = items.latest();
            assertThat(page.processes())
                    .isEqualTo(names(living).stream().sorted().toList());
            assertThat(page.total()).isEqualTo(page.shares());
            for (WorkerProcess process : living) {
                Report report = process.report();
                assertThat(report.away()).as("%s goes on alone", process.name()).isFalse();
                assertThat(report.members())
                        .as("members that %s sees", process.name())
                        .isEqualTo(living.size());
                assertThat(page.members()).as("id of %s", process.name()).containsKey(report.member());
                assertThat(page.members().get(report.member()).share())
                        .as("share of %s in the items", process.name())
                        .isEqualTo(report.share());
                assertThat(report.used())
                        .as("leases that %s uses", process.name())
                        .isLessThanOrEqualTo(report.share());
                assertThat((long) connects.open(process.name()))
                        .as("open by %s", process.name())
                        .isLessThanOrEqualTo(report.share());
            }
            assertThat(connects.open()).as("open").isLessThanOrEqualTo(Rules.LIMIT);
        });
    }

    /** Waits until what is allowed is used, nearly, and everybody has a good part of it. */
    void awaitGoodUse() {
        eventually("good use of what is allowed", () -> {
            assertThat(connects.open()).as("open").isGreaterThanOrEqualTo(Rules.LIMIT * 4 / 5);
            for (WorkerProcess process : living) {
                assertThat(connects.open(process.name()))
                        .as("open by %s", process.name())
                        .isGreaterThanOrEqualTo(Rules.FAIR_SHARE / 2);
            }
        });
    }

    /** Waits until this process has used connections a few times more. */
    void awaitService(WorkerProcess process) {
        long before = process.report().served();
        eventually(
                "service in " + process.name(),
                () -> assertThat(process.report().served()).isGreaterThan(before + 5));
    }

    /** Everything that helps to understand what went wrong. */
    String story() {
        return all.stream().map(WorkerProcess::story).collect(Collectors.joining("\n")) + "\nitems: " + items.latest()
                + "\nopen: " + connects.open() + " "
                + living.stream()
                        .map(process -> process.name() + "=" + connects.open(process.name()))
                        .toList();
    }

    @Override
    public void close() {
        all.forEach(WorkerProcess::kill);
        all.forEach(WorkerProcess::close);
        items.close();
        server.close();
        way.close();
        store.close();
    }
}
