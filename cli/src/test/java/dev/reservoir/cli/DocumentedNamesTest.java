package dev.reservoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.OpenFailureReason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/**
 * Everything that the documentation and the monitoring files name exists: metrics and their labels, log lines,
 * messages, variables, commands.
 */
class DocumentedNamesTest {
    private static final Path ROOT = Path.of("..");

    /** A full name, or an ending that stands for one: {@code _open} after {@code dsql_reservoir_size}. */
    private static final Pattern METRIC = Pattern.compile("\\b(dsql_[a-z_]+)(\\*?)|`(_[a-z_]+)`");

    private static final Pattern LABEL =
            Pattern.compile("\\b(reason|outcome|quantile) ?(?:=|=~|!=|!~) ?\\\\?\"([^\"\\\\]+)");
    private static final Pattern CODE = Pattern.compile("`([^`\\n]+)`");
    private static final Pattern FENCED = Pattern.compile("(?s)```.*?```");
    private static final Pattern LOG_LINE = Pattern.compile("(Reservoir|DSQL|Pool|Starting DSQL)( |: ).*");
    private static final Pattern VARIABLE = Pattern.compile("\\b(?:DSQL|RESERVOIR)_[A-Z_]+[A-Z]\\b");
    private static final Pattern COMMAND =
            Pattern.compile("(?:`|^|\\$ |\\./)reservoir ((?:[a-z<-][^ `|]*)(?: [^ `|\\n]+)*)", Pattern.MULTILINE);

    private static final Map<String, String> pages = new TreeMap<>();
    private static Map<String, Double> metrics = Map.of();
    private static String sources = "";

    @BeforeAll
    static void read() throws IOException {
        try (Stream<Path> docs = Files.list(ROOT.resolve("docs"));
                Stream<Path> monitoring = Files.list(ROOT.resolve("monitoring"))) {
            Stream.concat(docs, monitoring)
                    .filter(Files::isRegularFile)
                    .forEach(file -> pages.put(file.getFileName().toString(), text(file)));
        }
        assertThat(pages)
                .containsKeys("troubleshooting.md", "aurora-dsql.md", "occ-and-retries.md", "sharing-a-cluster.md")
                .containsKeys("alerts.yml", "alerts-test.yml", "dashboard.json");
        try (Stream<Path> modules = Files.list(ROOT)) {
            String java = modules.map(module -> module.resolve("src/main/java"))
                    .filter(Files::isDirectory)
                    .map(DocumentedNamesTest::sources)
                    .collect(Collectors.joining("\n"));
            sources = java.replaceAll("\"\\s*\\+\\s*\"", "");
        }
        metrics = RealMetrics.all();
    }

    private static String sources(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .map(DocumentedNamesTest::text)
                    .collect(Collectors.joining("\n"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void everyMetricExists() {
        Set<String> names = RealMetrics.names(metrics);
        List<String> unknown = new ArrayList<>();
        pages.forEach((page, text) -> text.lines().forEach(line -> {
            String last = "";
            for (Matcher found = METRIC.matcher(line); found.find(); ) {
                String ending = found.group(3);
                String full = ending == null ? found.group(1) : completed(last, ending, names);
                boolean isStart = !"".equals(found.group(2)) || full.endsWith("_");
                if (ending != null && last.isEmpty()) {
                    continue;
                }
                if (isStart ? names.stream().noneMatch(name -> name.startsWith(full)) : !names.contains(full)) {
                    unknown.add(page + ": " + found.group());
                }
                last = full;
            }
        }));
        assertThat(unknown).isEmpty();
    }

    /** The longest beginning of a name, of whole words, that is a metric together with the ending. */
    private static String completed(String before, String ending, Set<String> names) {
        for (int end = before.length(); end > 0; end = before.lastIndexOf('_', end - 1)) {
            String candidate = before.substring(0, end) + ending;
            if (names.contains(candidate)) {
                return candidate;
            }
        }
        return before + ending;
    }

    @Test
    void everyLabelsValueExists() {
        Map<String, Set<String>> labels = RealMetrics.labels(metrics);
        List<String> unknown = new ArrayList<>();
        pages.forEach((page, text) -> {
            for (Matcher found = LABEL.matcher(text); found.find(); ) {
                for (String value : found.group(2).split("\\|", -1)) {
                    if (!labels.getOrDefault(found.group(1), Set.of()).contains(value)) {
                        unknown.add(page + ": " + found.group());
                    }
                }
            }
        });
        assertThat(unknown).isEmpty();
    }

    @Test
    void everyLogLineIsWritten() {
        assertThat(quoted(LOG_LINE.asMatchPredicate(), DocumentedNamesTest::isLogged))
                .isEmpty();
    }

    private static boolean isLogged(String line) {
        String words = line.replaceFirst("  .*", "").replaceFirst("\\.\\.\\.$", "");
        String refiller = "Reservoir refiller: ";
        return sources.contains("\"" + words)
                || (words.startsWith(refiller) && sources.contains("\"" + words.substring(refiller.length()) + "\""));
    }

    /** A quotation of three words or more on these pages is a text of the program, unless it is something else. */
    @Test
    void everyMessageOfTheTroubleshootingIsSaid() {
        Predicate<String> isMessage =
                text -> text.matches("[a-z][A-Za-z]*( [^ ]+){2,}") && !text.startsWith("reservoir ");
        assertThat(quoted(isMessage, DocumentedNamesTest::isSaid).stream()
                        .filter(found -> found.startsWith("troubleshooting.md"))
                        .toList())
                .isEmpty();
    }

    @Test
    void everyReasonOfAFailedConnectIsExplained() {
        assertThat(OpenFailureReason.values()).allSatisfy(reason -> {
            assertThat(pages.get("limits.md")).contains("| `" + reason.label() + "` |");
            assertThat(pages.get("troubleshooting.md")).contains("| `" + reason.label() + "` |");
        });
    }

    private static boolean isSaid(String message) {
        return Arrays.stream(message.split("\\.\\.\\.|[0-9]+", -1)).allMatch(part -> sources.contains(part.strip()));
    }

    private static List<String> quoted(Predicate<String> which, Predicate<String> isTrue) {
        List<String> untrue = new ArrayList<>();
        pages.forEach((page, text) -> {
            for (Matcher found = CODE.matcher(FENCED.matcher(text).replaceAll("")); found.find(); ) {
                if (page.endsWith(".md") && which.test(found.group(1)) && !isTrue.test(found.group(1))) {
                    untrue.add(page + ": " + found.group(1));
                }
            }
        });
        return untrue;
    }

    @Test
    void everyVariableIsRead() {
        Set<String> ofSettings = variablesOfSettings();
        assertThat(ofSettings).contains("DSQL_RESERVOIR_MAX_OPEN", "RESERVOIR_MAX_OPEN");
        List<String> unknown = new ArrayList<>();
        pages.forEach((page, text) -> {
            for (Matcher found = VARIABLE.matcher(text); found.find(); ) {
                if (!sources.contains("\"" + found.group() + "\"") && !ofSettings.contains(found.group())) {
                    unknown.add(page + ": " + found.group());
                }
            }
        });
        assertThat(unknown).isEmpty();
    }

    /** Variables whose names follow from the keys of settings. */
    private static Set<String> variablesOfSettings() {
        Pattern key = Pattern.compile("\\bSection\\.[A-Z]+,\\s*\"(\\w+)\"");
        String table = text(ROOT.resolve("jdbc/src/main/java/dev/reservoir/jdbc/config/DataSourceSettings.java"));
        Stream<String> keys = key.matcher(table).results().map(found -> found.group(1));
        return Stream.concat(keys, Stream.of("enabled"))
                .map(found -> "RESERVOIR_" + found.replaceAll("(?=[A-Z])", "_").toUpperCase(Locale.ROOT))
                .flatMap(variable -> Stream.of(variable, "DSQL_" + variable))
                .collect(Collectors.toSet());
    }

    @Test
    void everyCommandExistsWithItsOptions() {
        List<String> unknown = new ArrayList<>();
        List<String> known = new ArrayList<>();
        pages.forEach((page, text) -> {
            for (Matcher found = COMMAND.matcher(text); found.find(); ) {
                (isCommand(List.of(found.group(1).strip().split("\\s+", -1))) ? known : unknown)
                        .add(page + ": " + found.group(1));
            }
        });
        assertThat(unknown).isEmpty();
        assertThat(known).hasSizeGreaterThan(10);
    }

    private static boolean isCommand(List<String> given) {
        if (given.get(0).equals("help")) {
            return true;
        }
        List<String> words = Main.spelledOut(given, Commands.names("sim"));
        CommandLine command =
                new Commands(Shell.piped().console(), Map.of()).commandLine(words, (line, wrong) -> 2, e -> 1);
        for (String word : words) {
            CommandLine next = command.getSubcommands().get(word);
            if (next != null) {
                command = next;
            } else if (command.getCommandName().equals("reservoir")) {
                return false;
            } else if (word.startsWith("--") && !hasOption(command, word.replaceFirst("=.*", ""))) {
                return false;
            }
        }
        return command.getSubcommands().isEmpty() || words.size() == 1;
    }

    private static boolean hasOption(CommandLine command, String option) {
        return command.getCommandSpec().optionsMap().containsKey(option);
    }
}
