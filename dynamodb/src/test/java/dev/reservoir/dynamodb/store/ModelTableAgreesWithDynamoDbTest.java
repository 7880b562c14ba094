package dev.reservoir.dynamodb.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.cluster.model.ModelTable;
import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.cluster.store.Write;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The table in memory, on which the protocols are proven, answers as DynamoDB does. */
class ModelTableAgreesWithDynamoDbTest {
    private static final int STEPS = 1_200;

    private final String table = Local.table();
    private final ModelTable model = new ModelTable(() -> 1_800_000_000L);
    private final Map<String, Integer> seen = new TreeMap<>();
    private final List<List<Write>> sent = new ArrayList<>();

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void theSameWritesGiveTheSameAnswersAndTheSameItems(long seed) {
        RandomWrites random = new RandomWrites(seed);
        try (DynamoClient client = Local.client()) {
            DynamoStore store = new DynamoStore(client, table, Runnable::run);
            for (int step = 0; step < STEPS; step++) {
                step(random, store, "seed " + seed + ", step " + step);
            }
            assertThat(all(store)).isEqualTo(model.items());
        }
        assertThat(seen.keySet())
                .as("seed %s met every kind of answer", seed)
                .contains(
                        "read done",
                        "write done",
                        "write refused",
                        "write REFUSED",
                        "transaction done",
                        "transaction refused",
                        "transaction REFUSED",
                        "repetition done",
                        "other writes REFUSED");
    }

    @Test
    void whatIsTooMuchOrTooLittleIsRefusedByBoth() {
        Write write = Write.update("a", List.of(Change.add("count", 1)));
        List<Write> many = IntStream.rangeClosed(0, Store.WRITES_MAX)
                .mapToObj(i -> Write.delete("key-" + i))
                .toList();
        List<String> keys = many.stream().map(Write::key).toList();
        try (DynamoClient client = Local.client()) {
            DynamoStore store = new DynamoStore(client, table, Runnable::run);
            for (List<String> wrong : List.of(List.<String>of(), keys, List.of("a", "a"))) {
                refusedByBoth(() -> model.read(wrong), () -> Local.wait(store.read(wrong, true)));
            }
            for (List<Write> wrong : List.of(List.<Write>of(), many)) {
                refusedByBoth(() -> model.transact(wrong, table), () -> Local.wait(store.transact(wrong, table)));
            }
            for (String wrong : List.of("", "x".repeat(37))) {
                refusedByBoth(
                        () -> model.transact(List.of(write), wrong),
                        () -> Local.wait(store.transact(List.of(write), wrong)));
            }
        }
    }

    private static void refusedByBoth(Supplier<Answer> inModel, Supplier<Answer> inDynamoDb) {
        StringBuilder errors = new StringBuilder();
        assertThat(outcome(inModel, errors).kind).isEqualTo("REFUSED");
        assertThat(outcome(inDynamoDb, errors).kind).as("%s", errors).isEqualTo("REFUSED");
    }

    private void step(RandomWrites random, DynamoStore store, String when) {
        if (random.chance(0.1)) {
            List<String> keys = random.keys();
            compare("read", when, keys, () -> model.read(keys), () -> Local.wait(store.read(keys, true)));
        } else if (random.chance(0.5)) {
            Write write = random.single();
            compare("write", when, write, () -> model.write(write), () -> Local.wait(store.write(write)));
        } else if (!sent.isEmpty() && random.chance(0.15)) {
            int which = random.below(sent.size());
            transact("repetition", when, store, sent.get(which), which);
        } else if (!sent.isEmpty() && random.chance(0.1)) {
            transact("other writes", when, store, random.several(), random.below(sent.size()));
        } else {
            List<Write> writes = random.several();
            sent.add(writes);
            transact("transaction", when, store, writes, sent.size() - 1);
        }
    }

    private void transact(String what, String when, DynamoStore store, List<Write> writes, int which) {
        String token = table + "-" + which;
        compare(
                what,
                when,
                writes,
                () -> model.transact(writes, token),
                () -> Local.wait(store.transact(writes, token)));
    }

    private void compare(
            String what, String when, Object asked, Supplier<Answer> inModel, Supplier<Answer> inDynamoDb) {
        StringBuilder errors = new StringBuilder();
        Outcome expected = outcome(inModel, errors);
        Outcome actual = outcome(inDynamoDb, errors);
        assertThat(actual).as("%s: %s %s%s", when, what, asked, errors).isEqualTo(expected);
        seen.merge(what + " " + expected.kind, 1, Integer::sum);
    }

    private static Outcome outcome(Supplier<Answer> asking, StringBuilder errors) {
        try {
            Answer answer = asking.get();
            return new Outcome(answer.applied() ? "done" : "refused", answer.items(), answer.refused());
        } catch (StoreException e) {
            errors.append("; ").append(e.getMessage());
            return new Outcome(e.kind().name(), List.of(), List.of());
        }
    }

    private record Outcome(String kind, List<Item> items, List<Integer> refused) {}

    private static Map<String, Item> all(DynamoStore store) {
        Map<String, Item> all = new HashMap<>();
        String after = null;
        do {
            Store.Page page = Local.wait(store.list("", after));
            page.items().forEach(found -> all.put(found.key(), found.item()));
            after = page.next();
        } while (after != null);
        return all;
    }
}
