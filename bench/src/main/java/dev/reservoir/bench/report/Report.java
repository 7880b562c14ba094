package dev.reservoir.bench.report;

import dev.reservoir.bench.pools.PoolKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The page of one run: machine and versions, how to read the table, and the table. */
public final class Report {

    private static final String HOW_TO_READ = """
            In a peer's column the number in brackets is Reservoir's value divided by the peer's. "good" says whether a \
            high or a low value is good. "bar" is what Reservoir has to reach, judged on the values of this run; if it is \
            a number, Reservoir's value divided by it follows in brackets. "never" is a time that had not come when the \
            case was ended. If a case was measured several times, a cell shows the median, the smallest and the largest \
            value. The ratios are those of the medians, and the smallest and the largest of two values of the same round.
            """;

    private Report() {}

    /**
     * Writes the page.
     *
     * @param notes lines from the script: its command line, the JDKs used, and the parts left out
     */
    public static String page(List<Measurement> measurements, List<String> notes) {
        Set<String> contenders =
                measurements.stream().map(Measurement::contender).collect(Collectors.toSet());
        String pools = Stream.of(PoolKind.values())
                .filter(pool -> contenders.contains(pool.title()))
                .map(pool -> pool.title() + " " + pool.version())
                .collect(Collectors.joining(", "));
        String facts = Stream.concat(
                        Stream.of(
                                "date: "
                                        + ZonedDateTime.now(ZoneOffset.UTC)
                                                .format(DateTimeFormatter.ofPattern(
                                                        "yyyy-MM-dd HH:mm 'UTC'", Locale.ROOT)),
                                "machine: " + machine(),
                                "pools: " + pools),
                        notes.stream())
                .map(line -> "- " + line + "\n")
                .collect(Collectors.joining());
        return "# Reservoir, measured\n\n" + facts + "\n" + HOW_TO_READ + "\n"
                + new ResultTable(measurements).toMarkdown();
    }

    private static String machine() {
        return Runtime.getRuntime().availableProcessors() + " processors (" + processorName() + "), "
                + System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                + System.getProperty("os.arch");
    }

    private static String processorName() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).trim())
                    .findFirst()
                    .orElse("unknown");
        } catch (IOException e) {
            return "unknown";
        }
    }
}
