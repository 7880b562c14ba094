package dev.reservoir.cluster.protocol;

import dev.reservoir.cluster.store.Item;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The keys and attributes of the items that processes of a fleet share. Part of what they agree on: never changed. */
public final class ItemKeys {
    /** When the table may delete an item, in seconds since 1970. Only on items that count nothing any more by then. */
    public static final String TTL = "ttl_epoch";

    public static final String SERVICE = "service_name";

    /** The bucket of permits. */
    static final String PERMITS_PREFIX = "reservoir_permits#";

    /** Up to where slots are reserved, in microseconds since 1970 on the store's clock. */
    public static final String NEXT = "next_us";

    /** Counts the writes of the bucket. */
    public static final String SEQUENCE = "seq";

    public static final String UPDATED = "updated_ms";

    /** The cluster's count: always the sum of all members' shares and of what lies in the shards. */
    static final String COUNT_PREFIX = "reservoir_count#";

    public static final String TOTAL = "total";
    public static final String LIMIT = "limit";

    /** Until when somebody below its fair share is known to want leases, in seconds since 1970. */
    public static final String HUNGRY = "hungry_until";

    /** How many more that one wants. */
    public static final String WANTED = "wanted";

    /** The items that name the members, one for each shard: {@code <prefix><cluster>#<hex digit>}. */
    public static final String MEMBERS_PREFIX = "reservoir_members#";

    /**
     * Into how many items the names of the members are divided, by their first digit. A thousand processes that start together
     * write each of them often enough as it is; and each is still smaller than what one write unit pays for, or little larger.
     */
    public static final int SHARDS = 16;

    private static final List<Integer> ALL_SHARDS =
            IntStream.range(0, SHARDS).boxed().toList();

    public static final String IDS = "ids";

    /** Leases that are counted and belong to no member: they lie in a shard, for those of its members who want some. */
    public static final String FREE = "free";

    /** One process: {@code <prefix><cluster>#<id>}. */
    public static final String MEMBER_PREFIX = "reservoir_member#";

    /** Counts the writes of a member's item, each of which shows that it lives. */
    public static final String BEAT = "beat";

    /** How many connections a member may hold. */
    public static final String SHARE = "share";

    /** How many it held or was about to open when it last wrote. */
    public static final String USED = "used";

    public static final String HOST = "host";

    /** A member's lease time: nobody takes it for dead by a shorter one. */
    public static final String LEASE_MILLIS = "lease_ms";

    public static final String JOINED = "joined_ms";
    public static final String RENEWED = "renewed_ms";

    /** Ids of the leases that a member holds, where each has an item of its own. */
    public static final String LEASE_IDS = "lease_ids";

    /** The endpoint as such a member was given it: the keys of its leases have it so, its own has it cut. */
    public static final String ENDPOINT = "endpoint";

    /** Permits of one second, as Go processes count them: {@code <prefix><cluster>#<unix second>}. */
    static final String WINDOW_PREFIX = "dsqlconnect#";

    public static final String WINDOW_COUNT = "count";
    public static final String WINDOW_UPDATED = "updated_at_ms";

    /** Open connections, as Go processes count them. */
    public static final String COUNTER_PREFIX = "dsqllease_counter#";

    public static final String ACTIVE = "active";

    /** One open connection: {@code <prefix><endpoint>#<32 hex digits>}. */
    public static final String LEASE_PREFIX = "dsqllease#";

    public static final String CREATED = "created_ms";

    /** Whose lease or node id it is; only ours have it. */
    public static final String OWNER = "owner";

    /** One node id: {@code <prefix><cluster>#<number>}. */
    static final String NODE_PREFIX = "reservoir_node#";

    /** From when on a node id may be taken, in milliseconds since 1970 on the store's clock. */
    public static final String FREE_FROM = "free_from_ms";

    /** Whatever an item says: a day. */
    private static final long LEASE_MILLIS_MOST = 24 * 60 * 60 * 1_000L;

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

    /** The one that names this member. */
    public static String membersWith(String cluster, String id) {
        return members(cluster, shardOf(id));
    }

    public static List<Integer> allShards() {
        return ALL_SHARDS;
    }

    /** All items that name members. */
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

    /** The lease time that counts for this member, in nanoseconds: its own, if that is longer than that of whoever looks. */
    public static long leaseNanos(@Nullable Item member, Duration own) {
        long theirs = member == null ? 0 : Math.min(member.number(LEASE_MILLIS, 0), LEASE_MILLIS_MOST);
        return Math.max(own.toNanos(), theirs * 1_000_000);
    }

    public static String node(String cluster, int nodeId) {
        return NODE_PREFIX + cluster + "#" + nodeId;
    }

    public static String window(String cluster, long epochSecond) {
        return WINDOW_PREFIX + cluster + "#" + epochSecond;
    }

    public static String counter(String endpoint) {
        return COUNTER_PREFIX + endpoint;
    }

    public static String lease(String endpoint, String id) {
        return LEASE_PREFIX + endpoint + "#" + id;
    }
}
