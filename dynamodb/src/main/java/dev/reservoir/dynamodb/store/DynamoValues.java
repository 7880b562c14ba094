package dev.reservoir.dynamodb.store;

import dev.reservoir.cluster.store.Item;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Converts items and values to DynamoDB's types and back. Never calls DynamoDB. */
final class DynamoValues {
    /** The attribute that is the key of every item. */
    static final String KEY = "pk";

    private DynamoValues() {}

    static Map<String, AttributeValue> key(String key) {
        return Map.of(KEY, AttributeValue.fromS(key));
    }

    /** Returns the key of an item. Every item has one. */
    static String keyOf(Map<String, AttributeValue> item) {
        AttributeValue key = item.get(KEY);
        if (key == null || key.s() == null) {
            throw new IllegalStateException("an item without " + KEY + ": the table has another key");
        }
        return key.s();
    }

    /** Returns the value as DynamoDB's type, or null if there is no such type. */
    static @Nullable AttributeValue of(@Nullable Object value) {
        if (value instanceof Long number) {
            return AttributeValue.fromN(Long.toString(number));
        }
        if (value instanceof String text) {
            return AttributeValue.fromS(text);
        }
        if (value instanceof Set<?> texts && !texts.isEmpty()) {
            return AttributeValue.fromSs(texts.stream().map(String::valueOf).toList());
        }
        return null;
    }

    /** Returns the item without its key, and without attributes of types that {@link Item} does not support. */
    static Item item(Map<String, AttributeValue> attributes) {
        Map<String, Object> known = new HashMap<>();
        attributes.forEach((name, value) -> {
            Object plain = name.equals(KEY) ? null : plain(value);
            if (plain != null) {
                known.put(name, plain);
            }
        });
        return new Item(known);
    }

    private static @Nullable Object plain(AttributeValue value) {
        return switch (value.type()) {
            case S -> value.s();
            case N -> whole(value.n());
            case SS -> Set.copyOf(new HashSet<>(value.ss()));
            default -> null;
        };
    }

    private static @Nullable Long whole(String number) {
        try {
            return Long.valueOf(number);
        } catch (NumberFormatException fractionOrTooLarge) {
            return null;
        }
    }

    /** Returns how many write units a write of this item costs: one for each started KB. */
    static double writeUnits(Map<String, AttributeValue> item) {
        long bytes = 0;
        for (Map.Entry<String, AttributeValue> attribute : item.entrySet()) {
            bytes += bytes(attribute.getKey()) + bytes(attribute.getValue());
        }
        return Math.max(1.0, Math.ceil(bytes / 1_024.0));
    }

    private static long bytes(AttributeValue value) {
        return switch (value.type()) {
            case S -> bytes(value.s());
            case N -> value.n().length() / 2 + 1;
            case SS -> value.ss().stream().mapToLong(DynamoValues::bytes).sum();
            default -> 1;
        };
    }

    private static long bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
