package dev.reservoir.sim.file;

import static dev.reservoir.sim.scenario.ScenarioKeys.FILE;
import static dev.reservoir.sim.scenario.ScenarioKeys.TIMES;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import dev.reservoir.sim.scenario.DurationText;
import dev.reservoir.sim.scenario.ValueType;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/**
 * Reads recorded arrivals from a list in the scenario or from a CSV file beside it. Never reads a file outside the
 * scenario's folder, and reads each file only once.
 */
final class Recordings {
    private static final long FILE_BYTES_MAX = 100_000_000;
    private static final int TIMES_MAX = 1_000_000;

    /** Largest number of mistakes that are noted for one file. Reading stops there. */
    private static final int MISTAKES_MAX = 20;

    private static final String COLUMN = "t";
    private static final String A_TIME = "seconds since the beginning such as 12.5, or a duration such as 90s";
    private static final String A_FILE = "a CSV file in the scenario's folder or below it";

    private final @Nullable Path folder;
    private final Mistakes mistakes;
    private final Map<Path, List<Long>> known = new HashMap<>();

    Recordings(@Nullable Path folder, Mistakes mistakes) {
        this.folder = folder;
        this.mistakes = mistakes;
    }

    /**
     * The arrival times of a workload, in order, in nanoseconds. If {@code complete} is true, a workload without times
     * is a mistake.
     *
     * @param fileName the value of the key {@code file}; null if it is missing or wrong
     */
    List<Long> read(Fields workload, @Nullable String fileName, boolean complete) {
        if (workload.hasOwn(TIMES)) {
            workload.refusePlace(FILE, "without times");
        }
        if (workload.hasOwn(TIMES) || (workload.has(TIMES) && !workload.hasOwn(FILE))) {
            return times(workload.list(TIMES, "a list of " + A_TIME));
        }
        if (workload.has(FILE)) {
            return fileName == null ? List.of() : file(workload.at(FILE), fileName);
        }
        if (complete) {
            mistakes.missing(workload.where(), "file", A_FILE + ", or times in its place");
        }
        return List.of();
    }

    private List<Long> times(List<Node> nodes) {
        List<Long> times = new ArrayList<>();
        for (Node node : nodes) {
            Long time = node instanceof ScalarNode scalar ? time(scalar.getValue()) : null;
            if (time == null) {
                mistakes.value(node, "times", A_TIME);
            } else {
                times.add(time);
            }
        }
        Collections.sort(times);
        return List.copyOf(times);
    }

    private static @Nullable Long time(String text) {
        Duration time = DurationText.parse(text);
        if (time == null && text.length() <= 40) {
            try {
                BigDecimal seconds = new BigDecimal(text);
                boolean inReach = seconds.abs().compareTo(BigDecimal.valueOf(ValueType.YEAR.toSeconds())) <= 0;
                time = inReach ? Duration.ofNanos(seconds.movePointRight(9).longValue()) : null;
            } catch (NumberFormatException noNumber) {
                return null;
            }
        }
        return time == null || time.isNegative() || time.compareTo(ValueType.YEAR) > 0 ? null : (Long) time.toNanos();
    }

    // Files.

    private List<Long> file(Node at, String name) {
        Path file = inFolder(name);
        if (file == null) {
            mistakes.value(at, "file", name, A_FILE, null);
            return List.of();
        }
        List<Long> times = known.get(file);
        if (times == null) {
            times = file(file, name, at);
            known.put(file, times);
        }
        return times;
    }

    /** The file, if it exists and lies inside the folder after all links are resolved. Otherwise null. */
    private @Nullable Path inFolder(String name) {
        if (folder == null) {
            return null;
        }
        try {
            Path root = folder.toRealPath();
            Path file = root.resolve(name).toRealPath();
            return file.startsWith(root) && Files.isRegularFile(file) ? file : null;
        } catch (IOException | InvalidPathException notThere) {
            return null;
        }
    }

    private List<Long> file(Path file, String name, Node at) {
        try {
            if (Files.size(file) > FILE_BYTES_MAX) {
                mistakes.value(at, "file", name, "a CSV file of at most 100 MB", null);
                return List.of();
            }
            List<Long> times = lines(file, name);
            Collections.sort(times);
            return List.copyOf(times);
        } catch (IOException | UncheckedIOException | CsvParseException e) {
            mistakes.value(at, "file", name, "a CSV file that can be read; " + firstLine(e), null);
            return List.of();
        }
    }

    private static String firstLine(Exception e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }

    private List<Long> lines(Path file, String name) throws IOException {
        List<Long> times = new ArrayList<>();
        int wrong = 0;
        try (BufferedReader from = Files.newBufferedReader(file);
                CsvReader<CsvRecord> csv = CsvReader.builder()
                        .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
                        .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
                        .ofCsvRecord(withoutMark(from))) {
            Iterator<CsvRecord> lines = csv.iterator();
            CsvRecord line = lines.hasNext() ? lines.next() : null;
            int column = line == null ? 0 : column(line, name);
            if (line != null && line.getFields().contains(COLUMN)) {
                line = lines.hasNext() ? lines.next() : null;
            }
            while (line != null && column >= 0 && wrong < MISTAKES_MAX && times.size() <= TIMES_MAX) {
                String text =
                        column < line.getFieldCount() ? line.getField(column).strip() : "";
                Long time = time(text);
                if (time == null) {
                    mistakes.elsewhere(name, (int) line.getStartingLineNumber(), COLUMN, text, A_TIME);
                    wrong++;
                } else {
                    times.add(time);
                }
                line = lines.hasNext() ? lines.next() : null;
            }
        }
        if (times.size() > TIMES_MAX) {
            mistakes.elsewhere(name, TIMES_MAX, COLUMN, "not the last", "at most " + TIMES_MAX + " arrivals");
        }
        return times;
    }

    /** Skips the byte order mark that some programs write at the start of a UTF-8 file. */
    private static BufferedReader withoutMark(BufferedReader text) throws IOException {
        text.mark(1);
        if (text.read() != '\uFEFF') {
            text.reset();
        }
        return text;
    }

    /**
     * The column with the times, according to the first line. Notes a mistake and returns -1 if the first line does not
     * tell.
     */
    private int column(CsvRecord first, String name) {
        int named = first.getFields().indexOf(COLUMN);
        if (named >= 0 || first.getFieldCount() == 1) {
            return Math.max(0, named);
        }
        String allowed = "one column, or several of which one is named " + COLUMN;
        mistakes.elsewhere(name, 1, "the first line", String.join(",", first.getFields()), allowed);
        return -1;
    }
}
