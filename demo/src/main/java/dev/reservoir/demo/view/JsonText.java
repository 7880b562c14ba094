package dev.reservoir.demo.view;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.cfg.EnumFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import java.io.IOException;

/**
 * Writes records, maps, lists and plain values as JSON. The components of a record are the fields of an object, in
 * order. Fractions have one digit.
 */
final class JsonText {
    private static final ObjectWriter WRITER = JsonMapper.builder()
            .enable(EnumFeature.WRITE_ENUMS_TO_LOWERCASE)
            .addModule(new SimpleModule()
                    .addSerializer(Double.class, new OneDigit())
                    .addSerializer(double.class, new OneDigit()))
            .build()
            .writer();

    private JsonText() {}

    static String of(Object value) {
        return text(WRITER, value);
    }

    static String pretty(Object value) {
        DefaultIndenter indenter = new DefaultIndenter("  ", "\n");
        return text(
                WRITER.with(
                        new DefaultPrettyPrinter().withObjectIndenter(indenter).withArrayIndenter(indenter)),
                value);
    }

    private static String text(ObjectWriter writer, Object value) {
        try {
            return writer.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("bug: a value that cannot be written", e);
        }
    }

    private static final class OneDigit extends StdSerializer<Double> {
        private static final long serialVersionUID = 1L;

        OneDigit() {
            super(Double.class);
        }

        @Override
        public void serialize(Double value, JsonGenerator json, SerializerProvider provider) throws IOException {
            json.writeNumber(Math.round(value * 10) / 10.0);
        }
    }
}
