package dev.reservoir.cluster.protocol;

import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.Write;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The keys and attributes of the items that a fleet shares. They are part of the protocol and never change. */
public final class ItemKeys {
    public static final String SERVICE = "service_name";

    /** Key prefix of the token bucket that permits are reserved from. */
    static final String PERMITS_PREFIX = "reservoir_permits#";

    /** Up to which moment slots are reserved, in microseconds since 1970 on the store's clock. */
    public static final String NEXT = "next_us";

    /** Number of writes to the bucket. */
    public static final String SEQUENCE = "seq";

    public static final String UPDATED = "updated_ms";

    /** Key prefix of the cluster's count: the sum of all shares and of the unclaimed leases in the shards. */
    static final String COUNT_PREFIX = "reservoir_count#";

    public static final String TOTAL = "total";
    public static final String LIMIT = "limit";

    /** Until when some process below its fair share is known to want leases, in seconds since 1970. */
    public static final String HUNGRY = "hungry_until";

    /** How many more leases that process wants. */
    public static final String WANTED = "wanted";

    /** Key prefix of the items that list the members, one for each shard: {@code <prefix><cluster>#<hex digit>}. */
    public static final String MEMBERS_PREFIX = "reservoir_members#";

    /**
     * Number of items over which the ids of the members are spread, by their first digit. Fewer shards would each be
     * written too often when a thousand processes start together. With this many, the item of a shard still costs one
     * write unit, or little more.
     */
    public static final int SHARDS = 16;

    private static final List<Integer> ALL_SHARDS =
            IntStream.range(0, SHARDS).boxed().toList();

    public static final String IDS = "ids";

    /** Unclaimed leases in a shard: counted, but of no member. Members of the shard may take them. */
    public static final String FREE = "free";

    /** Key prefix of one process: {@code <prefix><cluster>#<id>}. */
    public static final String MEMBER_PREFIX = "reservoir_member#";

    /** Heartbeat: the number of writes to a member's item. Each write shows that the member is alive. */
    public static final String BEAT = "beat";

    /** How many connections a member may hold. */
    public static final String SHARE = "share";

    /** How many connections a member held or was about to open when it last wrote. */
    public static final String USED = "used";

    public static final String HOST = "host";

    /** A member's lease time. No process takes the member for dead after a shorter time. */
    public static final String LEASE_MILLIS = "lease_ms";

    public static final String JOINED = "joined_ms";
    public static final String RENEWED = "renewed_ms";

    /** Ids of the leases that a member holds, in the mode in which each lease has an item of its own. */
    public static final String LEASE_IDS = "lease_ids";

    /**
     * The endpoint as a member in that mode was given it. The keys of its leases contain it unchanged. The key of the
     * member's own item contains the cluster's name instead.
     */
    public static final String ENDPOINT = "endpoint";

    /** Key of the permits of one second, as Go processes count: {@code connect#<host>#<unix second>}. */
    private static final String WINDOW = "connect#";

    public static final String WINDOW_COUNT = "count";
    public static final String WINDOW_UPDATED = "updated_at_ms";

    /** Key of the counter of open connections, as Go processes count them: {@code lease_counter#<endpoint>}. */
    private static final String COUNTER = "lease_counter#";

    public static final String ACTIVE = "active";

    /** Key of one open connection, as Go processes count them: {@code lease#<endpoint>#<32 hex digits>}. */
    private static final String LEASE = "lease#";

    public static final String CREATED = "created_ms";

    /** The owner of a lease or node id. Leases of Go processes do not have it. */
    public static final String OWNER = "owner";

    /** Key prefix of one node id: {@code <prefix><cluster>#<number>}. */
    static final String NODE_PREFIX = "reservoir_node#";

    /** From when on a node id may be taken, in milliseconds since 1970 on the store's clock. */
    public static final String FREE_FROM = "free_from_ms";

    /** Upper bound for a lease time read from an item: one day. It protects against a wrong value in the table. */
    private static final long LEASE_MILLIS_MAX = 24 * 60 * 60 * 1_000L;

    private ItemKeys() {}

    public static String permits(String cluster) {
        return PERMITS_PREFIX + cluster;
    }

    public static String count(String cluster) {
        return COUNT_PREFIX + cluster;
    }

    public static String members(String cluster, int shard) {
        return MEMBERS_PREFIX + cluster + "#" + Character.forDigit(shard, SHARDS);
    }

    /** The key of the shard that lists this member. */
    public static String membersWith(String cluster, String id) {
        return members(cluster, shardOf(id));
    }

    /** Adds a member to the list. */
    public static Write list(String cluster, String id) {
        return Write.update(membersWith(cluster, id), List.of(Change.include(IDS, Set.of(id))));
    }

    /** Removes a member from the list. */
    public static Write unlist(String cluster, String id) {
        return Write.update(membersWith(cluster, id), List.of(Change.exclude(IDS, Set.of(id))));
    }

    /** Returns the number with this name; 0 if there is no item or no such number. */
    public static long number(@Nullable Item item, String name) {
        return item == null ? 0 : item.number(name, 0);
    }

    public static List<Integer> allShards() {
        return ALL_SHARDS;
    }

    /** The keys of all shards. */
    public static List<String> allMembers(String cluster) {
        return ALL_SHARDS.stream().map(shard -> members(cluster, shard)).toList();
    }

    public static int shardOf(String id) {
        int digit = id.isEmpty() ? 0 : Character.digit(id.charAt(0), SHARDS);
        return digit >= 0 ? digit : id.charAt(0) % SHARDS;
    }

    public static String member(String cluster, String id) {
        return MEMBER_PREFIX + cluster + "#" + id;
    }

    /** The lease time that applies to a member, in nanoseconds: the longer one of its own and the observer's. */
    public static long leaseNanos(@Nullable Item member, Duration own) {
        return Math.max(own.toNanos(), Math.min(number(member, LEASE_MILLIS), LEASE_MILLIS_MAX) * 1_000_000);
    }

    public static String node(String cluster, int nodeId) {
        return NODE_PREFIX + cluster + "#" + nodeId;
    }

    public static String window(ClusterSettings settings, long epochSecond) {
        return settings.sharedKeyPrefix() + WINDOW + settings.hostName() + "#" + epochSecond;
    }

    /** The key of the counter that members with this endpoint use. It contains the endpoint as they were given it. */
    public static String counter(ClusterSettings settings, String endpoint) {
        return settings.sharedKeyPrefix() + COUNTER + endpoint;
    }

    public static boolean isCounter(ClusterSettings settings, String key) {
        return key.startsWith(settings.sharedKeyPrefix() + COUNTER);
    }

    public static String lease(ClusterSettings settings, String endpoint, String id) {
        return settings.sharedKeyPrefix() + LEASE + endpoint + "#" + id;
    }

    public static boolean isLease(ClusterSettings settings, String key) {
        return key.startsWith(settings.sharedKeyPrefix() + LEASE);
    }
}
