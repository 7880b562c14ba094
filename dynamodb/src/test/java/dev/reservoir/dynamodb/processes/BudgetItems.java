package dev.reservoir.dynamodb.processes;

import dev.reservoir.cluster.LeaseMode;
import dev.reservoir.dynamodb.store.DynamoClient;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ItemResponse;
import software.amazon.awssdk.services.dynamodb.model.TransactGetItem;

/**
 * Reads the fleet's items again and again, each time all of them at one moment, and checks that they add up. Never
 * writes. The keys are written out here: they are what processes of different versions agree on.
 */
final class BudgetItems implements AutoCloseable {
    private static final String COUNT = "reservoir_count#" + Rules.CLUSTER;
    private static final String COUNTER = "dsqllease_counter#" + Rules.CLUSTER;
    static final List<String> MEMBERS = IntStream.range(0, 16)
            .mapToObj(shard -> "reservoir_members#" + Rules.CLUSTER + "#" + Integer.toHexString(shard))
            .toList();
    static final String MEMBER = "reservoir_member#" + Rules.CLUSTER + "#";

    private static final String LEASE = "dsqllease#" + Rules.CLUSTER + "#";

    private static final long EVERY_NANOS = 100_000_000L;
    private static final int KEPT_MAX = 20;

    private final DynamoClient client;
    private final String table;
    private final boolean byCounter;
    private final Thread thread = new Thread(this::run, "budget-items");
    private volatile boolean closed;

    // Guarded by this.
    private final List<String> violations = new ArrayList<>();
    private final List<Page> pages = new ArrayList<>();

    /** One member as the items have it. */
    public record Member(String id, String process, long share, long used) {}

    /**
     * The items at one moment.
     *
     * @param askedNanos when they were asked for, on this process's clock
     * @param total the cluster's count
     * @param lying what lies in the shards of the members and belongs to none of them
     * @param members by id
     */
    record Page(long askedNanos, long total, long lying, Map<String, Member> members) {
        long shares() {
            return lying + members.values().stream().mapToLong(Member::share).sum();
        }

        /** The processes that are members, as often as they are. */
        List<String> processes() {
            return members.values().stream().map(Member::process).sorted().toList();
        }
    }

    BudgetItems(URI store, String table, LeaseMode leaseMode) {
        this.client = DynamoClient.shared(null, store);
        this.table = table;
        this.byCounter = leaseMode == LeaseMode.COUNTER;
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        Set<String> ids = new TreeSet<>();
        while (!closed) {
            try {
                ids = look(ids);
            } catch (CompletionException e) {
                // No answer in time: the machine has other work.
                LockSupport.parkNanos(EVERY_NANOS);
            }
            LockSupport.parkNanos(EVERY_NANOS);
        }
    }

    /**
     * Reads until those who were asked for are those who are members, which is so unless somebody has just come or
     * gone.
     */
    private Set<String> look(Set<String> guess) {
        Set<String> ids = guess;
        for (int tries = 0; tries < 5; tries++) {
            long asked = System.nanoTime();
            List<Map<String, AttributeValue>> items = read(ids);
            Set<String> members = new TreeSet<>();
            shards(items).forEach(item -> members.addAll(texts(item, "ids")));
            if (members.equals(ids)) {
                note(page(asked, items, ids));
                return ids;
            }
            ids = members;
        }
        return ids;
    }

    /** The count, the set of members, and these members, all at one moment. */
    private List<Map<String, AttributeValue>> read(Set<String> ids) {
        List<TransactGetItem> wanted = new ArrayList<>();
        wanted.add(get(byCounter ? COUNTER : COUNT));
        MEMBERS.forEach(key -> wanted.add(get(key)));
        ids.forEach(id -> wanted.add(get(MEMBER + id)));
        return client
                .sdk()
                .transactGetItems(request -> request.transactItems(wanted))
                .orTimeout(30, TimeUnit.SECONDS)
                .join()
                .responses()
                .stream()
                .map(ItemResponse::item)
                .toList();
    }

    private TransactGetItem get(String key) {
        return TransactGetItem.builder()
                .get(get -> get.tableName(table)
                        .key(Map.of("pk", AttributeValue.builder().s(key).build())))
                .build();
    }

    private Page page(long askedNanos, List<Map<String, AttributeValue>> items, Set<String> ids) {
        Map<String, Member> members = new LinkedHashMap<>();
        int place = 1 + MEMBERS.size();
        for (String id : ids) {
            Map<String, AttributeValue> item = items.get(place++);
            if (item.isEmpty()) {
                note("member " + id + " has no item");
            }
            AttributeValue service = item.get("service_name");
            members.put(
                    id, new Member(id, service == null ? "nobody" : service.s(), share(item), number(item, "used")));
        }
        long lying = byCounter
                ? 0
                : shards(items).stream().mapToLong(item -> number(item, "free")).sum();
        return new Page(askedNanos, number(items.get(0), byCounter ? "active" : "total"), lying, members);
    }

    /** How many leases a member has. */
    private long share(Map<String, AttributeValue> member) {
        return byCounter ? texts(member, "lease_ids").size() : number(member, "share");
    }

    private static List<Map<String, AttributeValue>> shards(List<Map<String, AttributeValue>> items) {
        return items.subList(1, 1 + MEMBERS.size());
    }

    private static long number(Map<String, AttributeValue> item, String name) {
        AttributeValue value = item.get(name);
        return value == null ? 0 : Long.parseLong(value.n());
    }

    private static List<String> texts(Map<String, AttributeValue> item, String name) {
        AttributeValue value = item.get(name);
        return value == null ? List.of() : value.ss();
    }

    private synchronized void note(Page page) {
        pages.add(page);
        if (page.total != page.shares()) {
            note("the count is not the sum of the shares: " + page);
        }
        if (page.total > Rules.LIMIT) {
            note("the count is above " + Rules.LIMIT + ": " + page);
        }
    }

    private synchronized void note(String violation) {
        if (violations.size() < KEPT_MAX) {
            violations.add(violation);
        }
    }

    /** As they were last seen. */
    synchronized Page latest() {
        return pages.isEmpty() ? new Page(System.nanoTime(), 0, 0, Map.of()) : pages.get(pages.size() - 1);
    }

    /** What was wrong at any moment at which it was looked. */
    synchronized List<String> violations() {
        return List.copyOf(violations);
    }

    /** The largest count that was seen. */
    synchronized long mostTotal() {
        return pages.stream().mapToLong(Page::total).max().orElse(0);
    }

    /** How often it was looked. */
    synchronized int pages() {
        return pages.size();
    }

    /** Whether a process that had joined was not among the members at a moment between these two. */
    synchronized boolean missed(String process, long fromNanos, long toNanos) {
        return pages.stream()
                .dropWhile(page -> !page.processes().contains(process))
                .filter(page -> page.askedNanos - fromNanos >= 0 && page.askedNanos - toNanos <= 0)
                .anyMatch(page -> !page.processes().contains(process));
    }

    /** The keys of all items of members, whether the set of members knows them or not. */
    List<String> keysOfMembers() {
        return keys(MEMBER);
    }

    /** The keys of all items that stand for one connection, in the mode in which there are such. */
    List<String> keysOfLeases() {
        return keys(LEASE);
    }

    private List<String> keys(String prefix) {
        return client.sdk().scan(request -> request.tableName(table).consistentRead(true)).join().items().stream()
                .map(item -> item.get("pk"))
                .map(key -> key == null ? "" : key.s())
                .filter(key -> key.startsWith(prefix))
                .toList();
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        try {
            thread.join(40_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        client.close();
    }
}
