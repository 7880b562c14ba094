package dev.reservoir.demo.view;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.PrettyPrinter;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/** Writes JSON to a string. */
final class JsonText {
    private static final JsonFactory FACTORY = new JsonFactory();

    private JsonText() {}

    /** Writes a part of the JSON. */
    @FunctionalInterface
    interface Part {
        void write(JsonGenerator json) throws IOException;
    }

    /** Writes one element of an array. */
    @FunctionalInterface
    interface Element<T> {
        void write(T value, JsonGenerator json) throws IOException;
    }

    /** Returns an object with the fields that the part writes. */
    static String object(Part fields) {
        return object(null, fields);
    }

    /** Returns the same, indented. */
    static String prettyObject(Part fields) {
        DefaultIndenter indenter = new DefaultIndenter("  ", "\n");
        return object(new DefaultPrettyPrinter().withObjectIndenter(indenter).withArrayIndenter(indenter), fields);
    }

    private static String object(@Nullable PrettyPrinter printer, Part fields) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(text)) {
            if (printer != null) {
                json.setPrettyPrinter(printer);
            }
            json.writeStartObject();
            fields.write(json);
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    /** Writes a field whose value is an array of objects. */
    static <T> void objects(String name, Iterable<T> values, JsonGenerator json, Element<T> fields) throws IOException {
        json.writeArrayFieldStart(name);
        for (T value : values) {
            json.writeStartObject();
            fields.write(value, json);
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
