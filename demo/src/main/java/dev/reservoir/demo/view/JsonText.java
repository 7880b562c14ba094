package dev.reservoir.demo.view;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.PrettyPrinter;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.reflect.RecordComponent;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes records, maps, lists and plain values as JSON. The components of a record are the fields of an object, in
 * order. Fractions have one digit.
 */
final class JsonText {
    private static final JsonFactory FACTORY = new JsonFactory();

    private JsonText() {}

    static String of(Object value) {
        return text(value, null);
    }

    static String pretty(Object value) {
        DefaultIndenter indenter = new DefaultIndenter("  ", "\n");
        return text(
                value, new DefaultPrettyPrinter().withObjectIndenter(indenter).withArrayIndenter(indenter));
    }

    private static String text(Object value, @Nullable PrettyPrinter printer) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(text)) {
            if (printer != null) {
                json.setPrettyPrinter(printer);
            }
            write(json, value);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("bug: a record that cannot be read", e);
        }
        return text.toString();
    }

    private static void write(JsonGenerator json, @Nullable Object value)
            throws IOException, ReflectiveOperationException {
        if (value instanceof Record fields) {
            json.writeStartObject();
            for (RecordComponent field : fields.getClass().getRecordComponents()) {
                json.writeFieldName(field.getName());
                write(json, field.getAccessor().invoke(fields));
            }
            json.writeEndObject();
        } else if (value instanceof Map<?, ?> fields) {
            json.writeStartObject();
            for (Map.Entry<?, ?> field : fields.entrySet()) {
                json.writeFieldName(String.valueOf(field.getKey()));
                write(json, field.getValue());
            }
            json.writeEndObject();
        } else if (value instanceof Iterable<?> elements) {
            json.writeStartArray();
            for (Object element : elements) {
                write(json, element);
            }
            json.writeEndArray();
        } else {
            writePlain(json, value);
        }
    }

    private static void writePlain(JsonGenerator json, @Nullable Object value) throws IOException {
        if (value == null) {
            json.writeNull();
        } else if (value instanceof Double fraction) {
            json.writeNumber(Math.round(fraction * 10) / 10.0);
        } else if (value instanceof Number whole) {
            json.writeNumber(whole.longValue());
        } else if (value instanceof Boolean flag) {
            json.writeBoolean(flag);
        } else {
            String text = value instanceof Enum<?> ? value.toString().toLowerCase(Locale.ROOT) : value.toString();
            json.writeString(text);
        }
    }
}
