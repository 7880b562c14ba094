package dev.reservoir.sim.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A JSON value with access to its parts by name. */
record Json(Object value) {
    static Json read(String text) {
        try (JsonParser parser = new JsonFactory().createParser(text)) {
            parser.nextToken();
            return new Json(value(parser));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Object value(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> {
                Map<String, Object> fields = new LinkedHashMap<>();
                while (parser.nextToken() != JsonToken.END_OBJECT) {
                    String name = parser.currentName();
                    parser.nextToken();
                    fields.put(name, value(parser));
                }
                yield fields;
            }
            case START_ARRAY -> {
                List<Object> items = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    items.add(value(parser));
                }
                yield items;
            }
            case VALUE_NUMBER_INT -> parser.getLongValue();
            case VALUE_NUMBER_FLOAT -> parser.getDecimalValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> "null";
            default -> parser.getText();
        };
    }

    Json get(String name) {
        return new Json(((Map<?, ?>) value).get(name));
    }

    boolean has(String name) {
        return ((Map<?, ?>) value).containsKey(name);
    }

    List<Json> items() {
        return ((List<?>) value).stream().map(item -> new Json(item)).toList();
    }

    String text() {
        return String.valueOf(value);
    }

    long number() {
        return (Long) value;
    }

    /** A packed series as the page unpacks it. */
    List<Long> series() {
        List<Long> values = new ArrayList<>();
        long last = 0;
        for (Json item : items()) {
            if (item.value instanceof Long difference) {
                last += difference;
                values.add(last);
            } else {
                for (long i = item.items().get(0).number(); i > 0; i--) {
                    values.add(last);
                }
            }
        }
        return values;
    }
}
