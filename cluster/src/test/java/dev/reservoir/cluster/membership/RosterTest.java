package dev.reservoir.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.cluster.protocol.ItemKeys;
import dev.reservoir.cluster.store.Item;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class RosterTest {
    private final Roster roster = new Roster();

    private void read(int shard, long free, String... ids) {
        Map<String, Object> attributes = new HashMap<>();
        attributes.put(ItemKeys.FREE, free);
        if (ids.length > 0) {
            attributes.put(ItemKeys.IDS, Set.of(ids));
        }
        roster.read(shard, new Item(attributes));
    }

    private void readAllEmpty() {
        ItemKeys.allShards().forEach(shard -> roster.read(shard, null));
    }

    private List<String> after(String id) {
        List<String> all = new ArrayList<>();
        roster.after(id).forEachRemaining(all::add);
        return all;
    }

    @Test
    void theRingGoesThroughTheShardsAndEndsBeforeItsBeginning() {
        readAllEmpty();
        read(2, 0, "2a", "2c", "2b");
        read(5, 0, "5x");
        read(15, 0, "f1", "f0");
        assertThat(after("2b")).containsExactly("2c", "5x", "f0", "f1", "2a");
        assertThat(after("f1")).containsExactly("2a", "2b", "2c", "5x", "f0");
        assertThat(after("5x")).containsExactly("f0", "f1", "2a", "2b", "2c");
    }

    @Test
    void oneThatIsNotNamedYetHasAPlaceAllTheSame() {
        readAllEmpty();
        read(2, 0, "2a", "2c");
        assertThat(after("2b")).containsExactly("2c", "2a");
        assertThat(after("9")).containsExactly("2a", "2c");
        assertThat(after("")).containsExactly("2a", "2c");
    }

    @Test
    void howManyThereAreIsKnownOnlyWhenAllShardsWereRead() {
        for (int shard = 0; shard < ItemKeys.SHARDS - 1; shard++) {
            roster.read(shard, null);
            read(3, 0, "3a", "3b");
            assertThat(roster.size()).isZero();
        }
        roster.read(ItemKeys.SHARDS - 1, null);
        assertThat(roster.size()).isEqualTo(2);
        read(3, 0, "3b", "3c", "3d");
        assertThat(roster.size()).isEqualTo(3);
        roster.remove("3b");
        roster.remove("3x");
        assertThat(roster.size()).isEqualTo(2);
        assertThat(roster.size(3)).isEqualTo(2);
        assertThat(roster.contains("3b")).isFalse();
        assertThat(roster.contains("3c")).isTrue();
        roster.read(3, null);
        assertThat(roster.size()).isZero();
    }

    @Test
    void whatLiesInAShardIsAsItWasLastRead() {
        read(3, 7, "3a");
        assertThat(roster.free(3)).isEqualTo(7);
        read(3, 4, "3a");
        assertThat(roster.free(3)).isEqualTo(4);
        roster.read(3, null);
        assertThat(roster.free(3)).isZero();
    }

    @Test
    void theShardsOfTheNextFewAreThoseThatItTakesToFindThem() {
        readAllEmpty();
        read(2, 0, "2a", "2b", "2c", "2d");
        read(4, 0, "4a");
        read(5, 0, "5a");
        assertThat(roster.shardsOfNext("2a", 2)).containsExactly(2);
        assertThat(roster.shardsOfNext("2b", 2)).containsExactly(2);
        assertThat(roster.shardsOfNext("2c", 2)).containsExactly(2, 3, 4);
        assertThat(roster.shardsOfNext("2d", 2)).containsExactly(2, 3, 4, 5);
        assertThat(roster.shardsOfNext("2x", 1)).containsExactly(2, 3, 4);
        assertThat(roster.shardsOfNext("5a", 2)).hasSize(14).startsWith(5, 6).endsWith(1, 2);
    }

    @Test
    void eachShardIsInTheChargeOfOneMemberWhoReadsItAtEachLook() {
        for (long seed = 0; seed < 200; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            Set<String> ids = new TreeSet<>();
            for (int i = 0; i <= random.nextInt(40); i++) {
                ids.add(String.format("%016x", random.nextLong()));
            }
            Roster all = new Roster();
            for (int shard : ItemKeys.allShards()) {
                Set<String> here = new HashSet<>(ids);
                here.removeIf(id -> ItemKeys.shardOf(id) != shard);
                all.read(shard, here.isEmpty() ? null : new Item(Map.of(ItemKeys.IDS, here)));
            }
            List<Integer> inCharge = new ArrayList<>();
            for (String id : ids) {
                inCharge.addAll(all.inChargeOf(id));
                assertThat(all.shardsOfNext(id, 2)).as("seed %d", seed).containsAll(all.inChargeOf(id));
            }
            assertThat(inCharge).as("seed %d", seed).containsExactlyInAnyOrderElementsOf(ItemKeys.allShards());
            assertThat(all.inChargeOf("nobody")).isEmpty();
        }
    }
}
