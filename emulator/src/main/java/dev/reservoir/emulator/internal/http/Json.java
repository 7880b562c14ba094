package dev.reservoir.emulator.internal.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** Writes and reads flat JSON objects. */
final class Json {
    private static final JsonFactory FACTORY = new JsonFactory();

    private Json() {}

    /** Writes numbers, booleans and texts by name. */
    static String write(Map<String, ?> values) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(text)) {
            json.writeStartObject();
            for (Map.Entry<String, ?> value : values.entrySet()) {
                json.writeFieldName(value.getKey());
                write(json, value.getValue());
            }
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    private static void write(JsonGenerator json, Object value) throws IOException {
        if (value instanceof Double number) {
            json.writeNumber(number);
        } else if (value instanceof Number number) {
            json.writeNumber(number.longValue());
        } else if (value instanceof Boolean flag) {
            json.writeBoolean(flag);
        } else {
            json.writeString(value.toString());
        }
    }

    /** The components of a record by name, with durations in milliseconds. */
    static Map<String, Object> fields(Record record) {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (RecordComponent component : record.getClass().getRecordComponents()) {
            try {
                Object value = component.getAccessor().invoke(record);
                if (value instanceof Duration time) {
                    fields.put(component.getName() + "Millis", time.toMillis());
                } else {
                    fields.put(component.getName(), value);
                }
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("bug: " + component + " cannot be read", e);
            }
        }
        return fields;
    }

    /** Reads numbers by name. */
    static Map<String, Double> read(String text) throws IOException {
        Map<String, Double> values = new LinkedHashMap<>();
        try (JsonParser json = FACTORY.createParser(text)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException("no object");
            }
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                JsonToken value = json.nextToken();
                if (value == null || !value.isNumeric()) {
                    throw new IllegalArgumentException(name + " is no number; allowed: a number");
                }
                values.put(name, json.getDoubleValue());
            }
            if (json.currentToken() != JsonToken.END_OBJECT) {
                throw new IOException("no end");
            }
        }
        return values;
    }
}
