package dev.reservoir.sim.scenario;

import java.math.BigDecimal;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One key of a scenario file: its type and range, its default, its documentation, where its value is stored, how a
 * sweep varies it and how the fuzzer makes it simpler. Only the table declares keys; nothing changes them later.
 *
 * @param <P> the part of a scenario that stores the value
 * @param <T> the type of the value
 */
public final class Key<P extends ScenarioPart<P>, T> extends Component<P, T> {
    private final String name;
    private final @Nullable ValueType<T> type;
    private Function<Values, @Nullable T> otherwise = values -> null;
    private @Nullable String otherwiseText;
    private @Nullable String allowedText;
    private String meaning = "";
    private @Nullable String missing;
    private boolean acceptsNone;
    private @Nullable Section section;
    private List<Enum<?>> onlyWith = List.of();
    private List<Enum<?>> neededWith = List.of();
    private BiFunction<P, T, P> changedBy = (part, value) -> part.with(this, value);
    private @Nullable Function<P, T> simplest;
    private Function<T, List<T>> smaller = value -> List.of();
    private @Nullable Variation variation;

    /**
     * How a sweep varies a key.
     *
     * @param name the name on the command line
     * @param about a short description
     * @param follow gets the scenario before and after the change, and changes what follows from it
     */
    public record Variation(
            String name,
            String about,
            BinaryOperator<Scenario> follow,
            @Nullable BigDecimal most) {}

    Key(Class<P> part, String name, @Nullable String component, @Nullable ValueType<T> type) {
        super(part, component);
        this.name = name;
        this.type = type;
    }

    // Declaration, by the table only.

    Key<P, T> otherwise(@Nullable T value) {
        otherwise = values -> value;
        return this;
    }

    /** Sets a default that depends on keys that stand before this one in the table. */
    Key<P, T> otherwise(String text, Function<Values, @Nullable T> value) {
        otherwise = value;
        return documentedDefault(text);
    }

    Key<P, T> documentedDefault(String text) {
        otherwiseText = text;
        return this;
    }

    /** Describes the allowed values in the documentation, if they depend on more than the type. */
    Key<P, T> allowed(String text) {
        allowedText = text;
        return this;
    }

    Key<P, T> orNone() {
        acceptsNone = true;
        return this;
    }

    /** Makes a key required. The text says what is missing without it. */
    Key<P, T> required(String whatIsMissing) {
        missing = whatIsMissing;
        return this;
    }

    /** Gives a key a meaning only in some variants of its part. */
    Key<P, T> onlyWith(Enum<?>... variants) {
        onlyWith = List.of(variants);
        return this;
    }

    /** Gives a key a meaning in further variants and requires it there. The text says what is missing without it. */
    Key<P, T> neededWith(String whatIsMissing, Enum<?>... variants) {
        missing = whatIsMissing;
        neededWith = List.of(variants);
        onlyWith = Stream.concat(onlyWith.stream(), neededWith.stream()).toList();
        return this;
    }

    /** Names the section of the map that is the value of this key. */
    Key<P, T> holds(Section inner) {
        section = inner;
        return this;
    }

    /** Lets a sweep vary the key. */
    Key<P, T> sweep(String knob, String about) {
        return sweep(knob, about, (before, after) -> after);
    }

    Key<P, T> sweep(String knob, String about, BinaryOperator<Scenario> follow) {
        variation = new Variation(knob, about, follow, null);
        return this;
    }

    /** Lets a sweep set this key to at most this value, which is less than a file may contain. */
    Key<P, T> sweepAtMost(long most) {
        Variation all = Objects.requireNonNull(variation, "bug: no sweep varies this key");
        variation = new Variation(all.name(), all.about(), all.follow(), BigDecimal.valueOf(most));
        return this;
    }

    /** Says how the part changes with the key, if more than the key itself changes. */
    Key<P, T> changedBy(BiFunction<P, T, P> change) {
        changedBy = change;
        return this;
    }

    /** Says which value the fuzzer tries in place of any other. */
    Key<P, T> simplest(T value) {
        return simplestInPart(part -> value);
    }

    Key<P, T> simplified(UnaryOperator<T> simpler) {
        return simplestInPart(part -> simpler.apply(get(part)));
    }

    Key<P, T> simplestInPart(Function<P, T> value) {
        simplest = value;
        return this;
    }

    /** Says which smaller values the fuzzer tries, largest step first. */
    Key<P, T> smaller(Function<T, List<T>> steps) {
        smaller = steps;
        return this;
    }

    Key<P, T> means(String text) {
        meaning = text;
        return this;
    }

    // Use.

    /** The key as it stands in a file. */
    public String name() {
        return name;
    }

    /** Whether the value is a map or a list, so that it has no type. */
    public boolean isStructure() {
        return type == null;
    }

    /** The type of a value that is not a map or a list. */
    public ValueType<T> type() {
        return Objects.requireNonNull(type, name);
    }

    /** The section of the map that is the value of this key; null if it is no map, or is read in a way of its own. */
    public @Nullable Section section() {
        return section;
    }

    /** The default, given the values of the keys before this one. */
    public @Nullable T otherwise(Values values) {
        return otherwise.apply(values);
    }

    /** Whether {@code none} is allowed. */
    public boolean acceptsNone() {
        return acceptsNone;
    }

    /** Whether every part must have the key. */
    public boolean isRequired() {
        return missing != null && neededWith.isEmpty();
    }

    /** Says what is missing without this key; empty if it is never required. */
    public String missing() {
        return missing == null ? "" : missing;
    }

    /** The variants of the part in which the key has a meaning; empty for all. */
    public List<Enum<?>> onlyWith() {
        return onlyWith;
    }

    /** Whether the key has a meaning in a variant of its part. */
    public boolean hasMeaningWith(@Nullable Enum<?> variant) {
        return onlyWith.isEmpty() || (variant != null && onlyWith.contains(variant));
    }

    /** Whether the key is required in a variant of its part. */
    public boolean isNeededWith(Enum<?> variant) {
        return neededWith.contains(variant);
    }

    /** How a sweep varies the key; null if it cannot. */
    public @Nullable Variation variation() {
        return variation;
    }

    /** Whether the key has a meaning in some part of a scenario. */
    public boolean hasMeaningIn(Scenario scenario) {
        return PartPlaces.of(part()).in(scenario).stream().anyMatch(part -> hasMeaningWith(part.variant()));
    }

    /**
     * A copy of a scenario in which the key has a value wherever it has a meaning, with what follows from it. The text
     * must be an allowed value.
     */
    public Scenario varied(Scenario scenario, String text) {
        T value = Objects.requireNonNull(type().parse(text), text);
        Scenario changed = PartPlaces.of(part())
                .change(scenario, part -> hasMeaningWith(part.variant()) ? changed(part, value) : part);
        return variation == null ? changed : variation.follow().apply(scenario, changed);
    }

    /** The part with another value of this key, and with what must change along with it. */
    public P changed(P part, T value) {
        return changedBy.apply(part, value);
    }

    /** The part with the simplest value of this key. The same part if the fuzzer leaves the key as it is. */
    public P simplest(P part) {
        return simplest == null ? part : part.with(this, simplest.apply(part));
    }

    /** Parts that are smaller in this key, largest step first. */
    public List<P> smaller(P part) {
        return smaller.apply(get(part)).stream()
                .map(value -> changed(part, value))
                .toList();
    }

    /** The row of this key in the documentation. */
    public String documentation() {
        return "| `" + name + "` |" + cell(documentedDefault()) + "|" + cell(documentedRange()) + "|" + cell(meaning)
                + "|";
    }

    private static String cell(String text) {
        return text.isEmpty() ? " " : " " + text + " ";
    }

    private String documentedDefault() {
        if (otherwiseText != null) {
            return otherwiseText;
        }
        if (missing != null) {
            return "required";
        }
        T value = otherwise(new Values());
        if (value == null || type == null) {
            return "";
        }
        boolean isWord = value instanceof Enum<?> || value instanceof String;
        return isWord ? "`" + type.format(value) + "`" : type.format(value);
    }

    private String documentedRange() {
        String range = allowedText != null ? allowedText : type == null ? "a map" : type.allowed();
        return acceptsNone ? range + ", `none`" : range;
    }

    @Override
    public String toString() {
        return name;
    }
}
