package dev.reservoir.dynamodb.processes;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * How a process stands, as it says itself: one line of JSON.
 *
 * @param member by what id it is a member; empty if it is none
 * @param members how many it has seen
 * @param away whether it goes on without the store
 * @param share how many connections it may hold
 * @param used how many leases it uses
 * @param active how many leases are out in the whole cluster, as it has seen last
 * @param size connections in its reservoir
 * @param opening connects under way
 * @param served how often a connection was acquired and worked
 * @param unserved how often none was to be had
 * @param declaredDead how often others took it for dead
 * @param takenBack leases of the dead that it took back
 * @param permits permits that it was granted
 * @param lapsed permits that it reserved and nobody used
 * @param clockOffMillis by how much it thinks its clock is off
 */
record Report(
        String member,
        long members,
        boolean away,
        long share,
        long used,
        long active,
        long size,
        long opening,
        long served,
        long unserved,
        long declaredDead,
        long takenBack,
        long permits,
        long lapsed,
        long clockOffMillis) {
    private static final RecordComponent[] COMPONENTS = Report.class.getRecordComponents();
    private static final Pattern FIELD = Pattern.compile("\"(\\w+)\":(?:\"([^\"]*)\"|([^,}]+))");

    String json() {
        return Arrays.stream(COMPONENTS)
                .map(component -> "\"" + component.getName() + "\":" + text(component))
                .collect(Collectors.joining(",", "{", "}"));
    }

    private String text(RecordComponent component) {
        try {
            Object value = component.getAccessor().invoke(this);
            return value instanceof String ? "\"" + value + "\"" : String.valueOf(value);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException("bug: a component that cannot be read", e);
        }
    }

    static Report of(String json) {
        Map<String, String> fields = new HashMap<>();
        Matcher matcher = FIELD.matcher(json);
        while (matcher.find()) {
            String text = matcher.group(2);
            fields.put(matcher.group(1), text != null ? text : matcher.group(3));
        }
        Object[] values = new Object[COMPONENTS.length];
        Class<?>[] types = new Class<?>[COMPONENTS.length];
        for (int i = 0; i < values.length; i++) {
            types[i] = COMPONENTS[i].getType();
            values[i] = value(types[i], fields.getOrDefault(COMPONENTS[i].getName(), ""));
        }
        try {
            return Report.class.getDeclaredConstructor(types).newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException("no report: " + json, e);
        }
    }

    private static Object value(Class<?> type, String text) {
        if (type == long.class) {
            return Long.parseLong(text);
        }
        return type == boolean.class ? (Object) Boolean.parseBoolean(text) : text;
    }
}
