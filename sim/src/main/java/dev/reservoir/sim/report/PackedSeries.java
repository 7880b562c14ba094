package dev.reservoir.sim.report;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.Arrays;

/**
 * Writes series of numbers in few characters. Each number is written as its difference to the previous one, the first
 * as its difference to 0. A run of n numbers equal to the previous one is written as {@code [n]}. A series of zeros
 * only is left out.
 */
final class PackedSeries {
    /** Shortest run that is written as {@code [n]}. A shorter run takes no more characters as zeros. */
    private static final int RUN_MIN = 3;

    private PackedSeries() {}

    static void write(JsonGenerator json, String name, long[] values) throws IOException {
        if (Arrays.stream(values).allMatch(v -> v == 0)) {
            return;
        }
        json.writeArrayFieldStart(name);
        long before = 0;
        int same = 0;
        for (long value : values) {
            if (value == before) {
                same++;
                continue;
            }
            repeat(json, same);
            same = 0;
            json.writeNumber(value - before);
            before = value;
        }
        repeat(json, same);
        json.writeEndArray();
    }

    private static void repeat(JsonGenerator json, int times) throws IOException {
        if (times >= RUN_MIN) {
            json.writeStartArray();
            json.writeNumber(times);
            json.writeEndArray();
            return;
        }
        for (int i = 0; i < times; i++) {
            json.writeNumber(0);
        }
    }
}
