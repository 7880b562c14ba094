package dev.reservoir.dynamodb.store;

import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Condition;
import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.cluster.store.StoreException.Kind;
import dev.reservoir.cluster.store.Write;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * A write in DynamoDB's expression language. Every attribute is named by a placeholder, because many good names are
 * reserved words. Equal writes give equal text, because DynamoDB compares repeated transactions by it. Never calls
 * DynamoDB.
 */
final class Expressions {
    private final Map<String, String> placeholders = new LinkedHashMap<>();
    private final Map<String, String> names = new LinkedHashMap<>();
    private final Map<String, AttributeValue> values = new LinkedHashMap<>();
    final @Nullable String condition;

    /** The update expression, or null if the write is not an update. */
    final @Nullable String update;

    private Expressions(Write write) {
        condition = conditions(write);
        update = write.kind() == Write.Kind.UPDATE ? changes(write) : null;
    }

    /** Translates a write. Throws if DynamoDB would not understand it. */
    static Expressions of(Write write) {
        Set<String> changed = new HashSet<>();
        for (Change change : write.changes()) {
            boolean once = changed.add(change.attribute());
            require(once, write, "attribute " + change.attribute() + " is changed twice");
            boolean fits = write.kind() == Write.Kind.UPDATE
                    || (write.kind() == Write.Kind.PUT && change.action() == Change.Action.SET);
            require(
                    fits,
                    write,
                    change.action() + " of " + change.attribute() + " is not possible in a " + write.kind());
            notTheKey(write, change.attribute());
        }
        write.conditions().forEach(test -> notTheKey(write, test.attribute()));
        require(write.kind() != Write.Kind.CHECK || !write.conditions().isEmpty(), write, "it checks nothing");
        require(write.kind() != Write.Kind.UPDATE || !write.changes().isEmpty(), write, "it changes nothing");
        return new Expressions(write);
    }

    /** The attributes by placeholder, or null if there are none, because DynamoDB refuses an empty map. */
    @Nullable
    Map<String, String> names() {
        return names.isEmpty() ? null : names;
    }

    /** The values by placeholder, or null if there are none. */
    @Nullable
    Map<String, AttributeValue> values() {
        return values.isEmpty() ? null : values;
    }

    /** Returns the whole item that a put writes, with its key. */
    static Map<String, AttributeValue> putItem(Write write) {
        Map<String, AttributeValue> item = new LinkedHashMap<>(DynamoValues.key(write.key()));
        write.changes()
                .forEach(change -> item.put(change.attribute(), value(write, change.attribute(), change.value())));
        return item;
    }

    private @Nullable String conditions(Write write) {
        List<String> all = new ArrayList<>();
        write.conditions().forEach(test -> all.add(condition(write, test)));
        return all.isEmpty() ? null : String.join(" AND ", all);
    }

    private String condition(Write write, Condition test) {
        String name = name(test.attribute());
        String plain = switch (test.test()) {
            case PRESENT -> "attribute_exists(" + name + ")";
            case ABSENT -> "attribute_not_exists(" + name + ")";
            case EQUAL -> name + " = " + operand(write, test);
            case LESS -> name + " < " + number(write, test);
            case AT_MOST -> name + " <= " + number(write, test);
            case AT_LEAST -> name + " >= " + number(write, test);
        };
        return test.absentToo() ? "(attribute_not_exists(" + name + ") OR " + plain + ")" : plain;
    }

    private String number(Write write, Condition test) {
        require(test.value() instanceof Long, write, "attribute " + test.attribute() + " is compared with no number");
        return operand(write, test);
    }

    private String operand(Write write, Condition test) {
        return placeholder(value(write, test.attribute(), test.value()));
    }

    private @Nullable String changes(Write write) {
        Map<Clause, List<String>> clauses = new EnumMap<>(Clause.class);
        for (Change change : write.changes()) {
            Clause clause = Clause.of(change.action());
            String text = name(change.attribute());
            if (clause != Clause.REMOVE) {
                String value = placeholder(value(write, change.attribute(), change.value()));
                text += (clause == Clause.SET ? " = " : " ") + value;
            }
            clauses.computeIfAbsent(clause, any -> new ArrayList<>()).add(text);
        }
        List<String> all = new ArrayList<>();
        clauses.forEach((clause, texts) -> all.add(clause + " " + String.join(", ", texts)));
        return all.isEmpty() ? null : String.join(" ", all);
    }

    private String name(String attribute) {
        return placeholders.computeIfAbsent(attribute, any -> {
            String placeholder = "#n" + names.size();
            names.put(placeholder, attribute);
            return placeholder;
        });
    }

    private String placeholder(AttributeValue value) {
        String placeholder = ":v" + values.size();
        values.put(placeholder, value);
        return placeholder;
    }

    private static AttributeValue value(Write write, String attribute, @Nullable Object value) {
        AttributeValue translated = DynamoValues.of(value);
        if (translated == null) {
            throw refusal(
                    write,
                    "attribute " + attribute + " is " + value
                            + "; allowed: a Long, a String, or a set of strings that is not empty");
        }
        return translated;
    }

    private static void notTheKey(Write write, String attribute) {
        require(!attribute.equals(DynamoValues.KEY), write, "attribute " + attribute + " is the key");
    }

    private static void require(boolean holds, Write write, String otherwise) {
        if (!holds) {
            throw refusal(write, otherwise);
        }
    }

    static StoreException refusal(Write write, String why) {
        return new StoreException(Kind.REFUSED, "write of " + write.key() + ": " + why);
    }

    /** The clauses of an update, in their order. Each occurs at most once. */
    private enum Clause {
        SET,
        ADD,
        DELETE,
        REMOVE;

        static Clause of(Change.Action action) {
            return switch (action) {
                case SET -> SET;
                case ADD, INCLUDE -> ADD;
                case EXCLUDE -> DELETE;
                case REMOVE -> REMOVE;
            };
        }
    }
}
