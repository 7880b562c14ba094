package dev.reservoir.dynamodb.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Condition;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.cluster.store.StoreException.Kind;
import dev.reservoir.cluster.store.Write;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** A store on a table of DynamoDB Local. */
class DynamoStoreTest {
    private static final Change ONE_MORE = Change.add("count", 1);

    private final DynamoClient client = Local.client();
    private final String table = Local.table();
    private final DynamoStore store = new DynamoStore(client, table, Runnable::run);

    @AfterEach
    void close() {
        client.close();
    }

    @Test
    void anAbsentItemIsRead() {
        Answer answer = read("a");

        assertThat(answer.applied()).isTrue();
        assertThat(answer.items()).containsExactly((Item) null);
    }

    @Test
    void aPutIsRead() {
        Write put = Write.put(
                "a", List.of(Change.set("owner", "me"), Change.set("limit", -3), Change.set("ids", Set.of("x", "y"))));

        Answer written = write(put);

        Item item = item(Map.of("owner", "me", "limit", -3L, "ids", Set.of("x", "y")));
        assertThat(written.applied()).isTrue();
        assertThat(written.item()).isEqualTo(item);
        assertThat(read("a").item()).isEqualTo(item);
    }

    @Test
    void anUpdateMakesAndChangesAnItemAndTellsHowItIsNow() {
        write(Write.update("a", List.of(ONE_MORE, Change.set("total", 7), Change.include("ids", Set.of("x")))));

        Answer answer = write(Write.update(
                "a",
                List.of(
                        ONE_MORE,
                        Change.remove("total"),
                        Change.set("owner", "me"),
                        Change.include("ids", Set.of("y", "z")))));

        assertThat(answer.item()).isEqualTo(item(Map.of("count", 2L, "owner", "me", "ids", Set.of("x", "y", "z"))));
        assertThat(write(Write.update("a", List.of(Change.exclude("ids", Set.of("x", "y", "z")))))
                        .item())
                .isEqualTo(item(Map.of("count", 2L, "owner", "me")));
    }

    @Test
    void aDeleteLeavesNothing() {
        write(Write.update("a", List.of(ONE_MORE)));

        Answer answer = write(Write.delete("a"));

        assertThat(answer.applied()).isTrue();
        assertThat(answer.item()).isNull();
        assertThat(read("a").item()).isNull();
        assertThat(write(Write.delete("a")).applied()).isTrue();
    }

    @Test
    void aConditionThatDoesNotHoldTellsWhatWasFound() {
        write(Write.update("a", List.of(Change.set("count", 5))));
        Condition less = Condition.less("count", 5);

        for (Write write : List.of(
                Write.update("a", List.of(ONE_MORE), less),
                Write.put("a", List.of(Change.set("count", 1)), less),
                Write.delete("a", less))) {
            Answer answer = write(write);
            assertThat(answer.applied()).isFalse();
            assertThat(answer.item()).isEqualTo(item(Map.of("count", 5L)));
        }
        assertThat(read("a").item()).isEqualTo(item(Map.of("count", 5L)));
    }

    @Test
    void aConditionOnAnAbsentItemFindsNothing() {
        Answer answer = write(Write.update("a", List.of(ONE_MORE), Condition.present("count")));

        assertThat(answer.applied()).isFalse();
        assertThat(answer.items()).containsExactly((Item) null);
    }

    @Test
    void everyConditionMeansWhatItSays() {
        write(Write.update("a", List.of(Change.set("count", 5), Change.set("owner", "me"))));

        assertThat(holds(Condition.equal("count", 5L), Condition.equal("owner", "me")))
                .isTrue();
        assertThat(holds(Condition.equal("count", "5"))).isFalse();
        assertThat(holds(Condition.less("count", 6))).isTrue();
        assertThat(holds(Condition.less("count", 5))).isFalse();
        assertThat(holds(Condition.atMost("count", 5))).isTrue();
        assertThat(holds(Condition.atMost("count", 4))).isFalse();
        assertThat(holds(Condition.atLeast("count", 5))).isTrue();
        assertThat(holds(Condition.atLeast("count", 6))).isFalse();
        assertThat(holds(Condition.atLeast("owner", 0))).isFalse();
        assertThat(holds(Condition.present("owner"), Condition.absent("total"))).isTrue();
        assertThat(holds(Condition.less("total", 1))).isFalse();
        assertThat(holds(Condition.less("total", 1).orAbsent())).isTrue();
        assertThat(holds(Condition.less("count", 1).orAbsent())).isFalse();
    }

    @Test
    void severalItemsAreReadInTheOrderOfTheKeys() {
        List<String> keys =
                IntStream.range(0, Store.KEYS_MAX).mapToObj(i -> "key-" + i).toList();
        for (int i = 0; i < keys.size(); i += 7) {
            write(Write.update(keys.get(i), List.of(Change.set("count", i))));
        }

        Answer answer = Local.wait(store.read(keys, true));

        assertThat(answer.items()).hasSize(keys.size());
        for (int i = 0; i < keys.size(); i++) {
            assertThat(answer.items().get(i)).isEqualTo(i % 7 == 0 ? item(Map.of("count", (long) i)) : null);
        }
        assertThat(Local.wait(store.read(keys.subList(0, 2), false)).items()).hasSize(2);
    }

    @Test
    void aTransactionIsDoneAsAWholeOrNotAtAll() {
        write(Write.update("a", List.of(Change.set("count", 5))));
        List<Write> writes = List.of(
                Write.update("a", List.of(ONE_MORE), Condition.less("count", 6)),
                Write.put("b", List.of(Change.set("owner", "me")), Condition.absent("owner")));

        Answer first = Local.wait(store.transact(writes, "first-" + table));
        Answer second = Local.wait(store.transact(writes, "second-" + table));

        assertThat(first.applied()).isTrue();
        assertThat(first.items()).isEmpty();
        assertThat(second.applied()).isFalse();
        assertThat(second.refused()).containsExactly(0, 1);
        assertThat(second.items()).containsExactly(item(Map.of("count", 6L)), item(Map.of("owner", "me")));
        assertThat(read("a").item()).isEqualTo(item(Map.of("count", 6L)));
    }

    @Test
    void aTransactionOnlyChecks() {
        List<Write> writes = List.of(Write.check("a", Condition.absent("count")), Write.update("b", List.of(ONE_MORE)));

        assertThat(Local.wait(store.transact(writes, "one-" + table)).applied()).isTrue();
        assertThat(read("a").item()).isNull();
        write(Write.update("a", List.of(ONE_MORE)));
        Answer answer = Local.wait(store.transact(writes, "two-" + table));

        assertThat(answer.refused()).containsExactly(0);
        assertThat(answer.items()).containsExactly(item(Map.of("count", 1L)), null);
    }

    @Test
    void theSameTokenAgainChangesNothing() {
        List<Write> writes = List.of(Write.update("a", List.of(ONE_MORE)), Write.update("b", List.of(ONE_MORE)));

        Local.wait(store.transact(writes, "again-" + table));
        Answer again = Local.wait(store.transact(writes, "again-" + table));

        assertThat(again.applied()).isTrue();
        assertThat(read("a").item()).isEqualTo(item(Map.of("count", 1L)));
    }

    @Test
    void theSameTokenForOtherWritesIsRefused() {
        Local.wait(store.transact(List.of(Write.update("a", List.of(ONE_MORE))), "other-" + table));

        assertThatThrownBy(() -> Local.wait(store.transact(
                        List.of(Write.update("a", List.of(Change.add("count", 2)))), "other-" + table)))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.REFUSED))
                .hasMessageContaining("token")
                .hasMessageContaining(table);
    }

    @Test
    void itemsAreListedByTheBeginningOfTheirKeys() {
        for (int i = 0; i < 30; i++) {
            write(Write.update((i % 3 == 0 ? "member#" : "lease#") + i, List.of(Change.set("count", i))));
        }

        List<String> keys = new ArrayList<>();
        String after = null;
        do {
            Store.Page page = Local.wait(store.list("member#", after));
            page.items().forEach(found -> {
                keys.add(found.key());
                assertThat(found.key()).isEqualTo("member#" + found.item().number("count", -1));
            });
            after = page.next();
        } while (after != null);

        assertThat(keys).hasSize(10).doesNotHaveDuplicates();
    }

    @Test
    void aListHasPages() {
        String large = "x".repeat(300_000);
        for (int i = 0; i < 5; i++) {
            write(Write.put("big#" + i, List.of(Change.set("owner", large))));
        }

        Store.Page first = Local.wait(store.list("big#", null));
        Store.Page second = Local.wait(store.list("big#", first.next()));

        assertThat(first.next()).isNotNull();
        assertThat(second.next()).isNull();
        assertThat(first.items().size() + second.items().size()).isEqualTo(5);
    }

    @Test
    void theClockOfTheStoreComesWithEveryAnswer() {
        long now = Instant.now().getEpochSecond();
        List<Write> writes = List.of(Write.update("a", List.of(ONE_MORE), Condition.absent("count")));

        for (Answer answer : List.of(
                read("a"),
                write(writes.get(0)),
                write(writes.get(0)),
                Local.wait(store.read(List.of("a", "b"), true)),
                Local.wait(store.transact(writes, "clock-" + table)))) {
            assertThat(answer.storeSeconds()).isCloseTo(now, within(30L));
        }
    }

    @Test
    void callsAndTheirCostAreCounted() {
        write(Write.update("a", List.of(ONE_MORE)));
        assertThat(store.counts().writeUnits()).isEqualTo(1);
        write(Write.update("a", List.of(ONE_MORE), Condition.less("count", 0)));
        assertThat(store.counts().writeUnits()).isEqualTo(2);
        Local.wait(store.transact(
                List.of(Write.update("a", List.of(ONE_MORE)), Write.update("b", List.of(ONE_MORE))), "cost-" + table));
        assertThat(store.counts().writeUnits()).isEqualTo(6);
        assertThat(store.counts().itemsWritten()).isEqualTo(4);
        read("a");
        Local.wait(store.read(List.of("a", "b"), false));
        assertThat(store.counts().itemsRead()).isEqualTo(3);
        assertThat(store.counts().readUnits()).isEqualTo(2);
        assertThat(store.counts().calls()).isEqualTo(5);
        assertThat(store.counts().errors()).isZero();
    }

    @Test
    void aConditionThatFailsCostsAsMuchAsTheItemItFound() {
        write(Write.put("a", List.of(Change.set("owner", "x".repeat(2_500)))));
        double before = store.counts().writeUnits();

        write(Write.delete("a", Condition.absent("owner")));

        assertThat(before).isEqualTo(3);
        assertThat(store.counts().writeUnits()).isEqualTo(6);
    }

    @Test
    void whatOthersWroteAndNobodyHereKnowsIsLeftOut() {
        client.sdk()
                .putItem(put -> put.tableName(table)
                        .item(Map.of(
                                "pk", AttributeValue.fromS("a"),
                                "count", AttributeValue.fromN("5"),
                                "half", AttributeValue.fromN("0.5"),
                                "huge", AttributeValue.fromN("123456789012345678901234567890"),
                                "yes", AttributeValue.fromBool(true),
                                "list", AttributeValue.fromL(List.of()))))
                .join();

        assertThat(read("a").item()).isEqualTo(item(Map.of("count", 5L)));
    }

    @Test
    void whatMakesNoSenseIsRefusedWithoutACall() {
        List<Write> senseless = List.of(
                Write.check("a", Condition.present("count")),
                Write.update("a", List.of()),
                Write.update("a", List.of(ONE_MORE, ONE_MORE)),
                Write.put("a", List.of(ONE_MORE)),
                Write.update("a", List.of(Change.set("pk", "b"))),
                Write.update("a", List.of(ONE_MORE), Condition.present("pk")),
                Write.update("a", List.of(Change.include("ids", Set.of()))),
                new Write("a", Write.Kind.DELETE, List.of(ONE_MORE), List.of()));

        for (Write write : senseless) {
            assertThatThrownBy(() -> write(write))
                    .as("%s", write)
                    .isInstanceOfSatisfying(
                            StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.REFUSED));
        }
        assertThatThrownBy(() -> Local.wait(store.transact(
                        List.of(Write.delete("a"), Write.update("a", List.of(ONE_MORE))), "twice-" + table)))
                .hasMessageContaining("twice");
        assertThat(store.counts().calls()).isZero();
    }

    @Test
    void aTableThatIsNotThereIsNamed() {
        DynamoStore nowhere = new DynamoStore(client, "no-such-table", Runnable::run);

        assertThatThrownBy(() -> Local.wait(nowhere.write(Write.update("a", List.of(ONE_MORE)))))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.REFUSED))
                .hasMessageContaining("no-such-table")
                .hasMessageContaining("reservoir tables create");
    }

    private boolean holds(Condition... conditions) {
        return write(Write.update("a", List.of(Change.set("beat", 1)), conditions))
                .applied();
    }

    private Answer write(Write write) {
        return Local.wait(store.write(write));
    }

    private Answer read(String key) {
        return Local.wait(store.read(List.of(key), true));
    }

    private static Item item(Map<String, Object> attributes) {
        return new Item(attributes);
    }
}
