package dev.reservoir.cluster;

import dev.reservoir.cluster.store.Item;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The keys and attributes of the items that processes of a fleet share. Part of what they agree on: never changed. */
final class Items {
    /** When the table may delete an item, in seconds since 1970. Only on items that count nothing any more by then. */
    static final String TTL = "ttl_epoch";

    static final String SERVICE = "service_name";

    /** The bucket of permits. */
    static final String PERMITS_PREFIX = "reservoir_permits#";

    /** Up to where slots are reserved, in microseconds since 1970 on the store's clock. */
    static final String NEXT = "next_us";

    /** Counts the writes of the bucket. */
    static final String SEQUENCE = "seq";

    static final String UPDATED = "updated_ms";

    /** The cluster's count: always the sum of all members' shares and of what lies in the shards. */
    static final String COUNT_PREFIX = "reservoir_count#";

    static final String TOTAL = "total";
    static final String LIMIT = "limit";

    /** Until when somebody below its fair share is known to want leases, in seconds since 1970. */
    static final String HUNGRY = "hungry_until";

    /** How many more that one wants. */
    static final String WANTED = "wanted";

    /** The items that name the members, one for each shard: {@code <prefix><cluster>#<hex digit>}. */
    static final String MEMBERS_PREFIX = "reservoir_members#";

    /**
     * Into how many items the names of the members are divided, by their first digit. A thousand processes that start together
     * write each of them often enough as it is; and each is still smaller than what one write unit pays for, or little larger.
     */
    static final int SHARDS = 16;

    private static final List<Integer> ALL_SHARDS =
            IntStream.range(0, SHARDS).boxed().toList();

    static final String IDS = "ids";

    /** Leases that are counted and belong to no member: they lie in a shard, for those of its members who want some. */
    static final String FREE = "free";

    /** One process: {@code <prefix><cluster>#<id>}. */
    static final String MEMBER_PREFIX = "reservoir_member#";

    /** Counts the writes of a member's item, each of which shows that it lives. */
    static final String BEAT = "beat";

    /** How many connections a member may hold. */
    static final String SHARE = "share";

    /** How many it held or was about to open when it last wrote. */
    static final String USED = "used";

    static final String HOST = "host";

    /** A member's lease time: nobody takes it for dead by a shorter one. */
    static final String LEASE_MILLIS = "lease_ms";

    static final String JOINED = "joined_ms";
    static final String RENEWED = "renewed_ms";

    /** Ids of the leases that a member holds, where each has an item of its own. */
    static final String LEASE_IDS = "lease_ids";

    /** The endpoint as such a member was given it: the keys of its leases have it so, its own has it cut. */
    static final String ENDPOINT = "endpoint";

    /** Permits of one second, as Go processes count them: {@code <prefix><cluster>#<unix second>}. */
    static final String WINDOW_PREFIX = "dsqlconnect#";

    static final String WINDOW_COUNT = "count";
    static final String WINDOW_UPDATED = "updated_at_ms";

    /** Open connections, as Go processes count them. */
    static final String COUNTER_PREFIX = "dsqllease_counter#";

    static final String ACTIVE = "active";

    /** One open connection: {@code <prefix><endpoint>#<32 hex digits>}. */
    static final String LEASE_PREFIX = "dsqllease#";

    static final String CREATED = "created_ms";

    /** Whose lease or node id it is; only ours have it. */
    static final String OWNER = "owner";

    /** One node id: {@code <prefix><cluster>#<number>}. */
    static final String NODE_PREFIX = "reservoir_node#";

    /** From when on a node id may be taken, in milliseconds since 1970 on the store's clock. */
    static final String FREE_FROM = "free_from_ms";

    /** Whatever an item says: a day. */
    private static final long LEASE_MILLIS_MOST = 24 * 60 * 60 * 1_000L;

    private Items() {}

    static String permits(String cluster) {
        return PERMITS_PREFIX + cluster;
    }

    static String count(String cluster) {
        return COUNT_PREFIX + cluster;
    }

    static String members(String cluster, int shard) {
        return MEMBERS_PREFIX + cluster + "#" + Character.forDigit(shard, SHARDS);
    }

    /** The one that names this member. */
    static String membersWith(String cluster, String id) {
        return members(cluster, shardOf(id));
    }

    static List<Integer> allShards() {
        return ALL_SHARDS;
    }

    /** All items that name members. */
    static List<String> allMembers(String cluster) {
        return ALL_SHARDS.stream().map(shard -> members(cluster, shard)).toList();
    }

    static int shardOf(String id) {
        int digit = id.isEmpty() ? 0 : Character.digit(id.charAt(0), SHARDS);
        return digit >= 0 ? digit : id.charAt(0) % SHARDS;
    }

    static String member(String cluster, String id) {
        return MEMBER_PREFIX + cluster + "#" + id;
    }

    /** The lease time that counts for this member, in nanoseconds: its own, if that is longer than that of whoever looks. */
    static long leaseNanos(@Nullable Item member, Duration own) {
        long theirs = member == null ? 0 : Math.min(member.number(LEASE_MILLIS, 0), LEASE_MILLIS_MOST);
        return Math.max(own.toNanos(), theirs * 1_000_000);
    }

    static String node(String cluster, int nodeId) {
        return NODE_PREFIX + cluster + "#" + nodeId;
    }

    static String window(String cluster, long epochSecond) {
        return WINDOW_PREFIX + cluster + "#" + epochSecond;
    }

    static String counter(String endpoint) {
        return COUNTER_PREFIX + endpoint;
    }

    static String lease(String endpoint, String id) {
        return LEASE_PREFIX + endpoint + "#" + id;
    }
}
