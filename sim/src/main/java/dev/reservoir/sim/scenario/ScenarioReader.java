package dev.reservoir.sim.scenario;

import dev.reservoir.sim.scenario.Scenario.Coordinator;
import dev.reservoir.sim.scenario.Scenario.Database;
import dev.reservoir.sim.scenario.Scenario.Limiter;
import dev.reservoir.sim.scenario.Scenario.Service;
import dev.reservoir.sim.scenario.Scenario.Tokens;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.Node;

/**
 * Reads scenario files in YAML and JSON, including those of the Go simulator. Finds all mistakes of a file in one pass.
 * Never returns a scenario that cannot run. See docs/scenarios.md for the keys.
 */
public final class ScenarioReader {
    /** Largest number of processes of all services together. */
    public static final int PROCESSES_MAX = 100_000;

    /** Largest number of connections of all processes together. */
    public static final int CONNECTIONS_MAX = 10_000_000;

    /** Longest simulated time. */
    public static final Duration DURATION_MAX = Duration.ofDays(30);

    /** Largest number of samples of all services together. All samples of a run are kept in memory. */
    public static final long SAMPLES_MAX = 2_000_000;

    private static final long FILE_BYTES_MAX = 10_000_000;
    private static final int SERVICES_MAX = 1_000;

    /**
     * Lowest rate. Below it, the share of one process among many would need a wait for a permit that does not fit in a
     * number of nanoseconds.
     */
    private static final double RATE_LEAST = 0.001;

    private static final double RATE_MOST = 1_000_000;
    private static final int BURST_MOST = 1_000_000;
    private static final int COUNT_MOST = 10_000_000;
    private static final int ENDPOINT_MAX = 1_000;

    // Limits of the cluster budget.
    private static final Duration LEASE_TIME_LEAST = Duration.ofSeconds(3);
    private static final Duration LEASE_TIME_MOST = Duration.ofHours(1);

    private static final Duration CLOCK_SKEW_MOST = Duration.ofHours(24);

    /** Largest share of lost answers or conflicts. Beyond it, almost no request succeeds. */
    private static final double TROUBLE_MOST = 0.5;

    private static final String A_LIST = "a list of at least one service";

    private final String name;
    private final Mistakes mistakes;
    private final @Nullable Path folder;

    private ScenarioReader(String fileName, @Nullable Path folder) {
        this.name = fileName.replaceFirst("\\.(yaml|yml|json)$", "");
        this.mistakes = new Mistakes(fileName);
        this.folder = folder;
    }

    /**
     * Reads a file. Blocks while it reads.
     *
     * @throws ScenarioException with every mistake, if the file contains one
     * @throws IOException if the file cannot be read
     */
    public static Scenario read(Path file) throws ScenarioException, IOException {
        Path name = file.getFileName();
        ScenarioReader reader = new ScenarioReader(
                name == null ? file.toString() : name.toString(),
                file.toAbsolutePath().getParent());
        if (Files.size(file) > FILE_BYTES_MAX) {
            reader.mistakes.syntax(1, 1, "the file has " + Files.size(file) + " bytes", "at most " + FILE_BYTES_MAX);
            throw reader.failure();
        }
        byte[] bytes = Files.readAllBytes(file);
        try {
            return reader.scenario(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString());
        } catch (CharacterCodingException e) {
            reader.mistakes.syntax(1, 1, "the file is not in UTF-8", "UTF-8");
            throw reader.failure();
        }
    }

    /**
     * Reads a text. Blocks while it reads recordings that the text names.
     *
     * @param name the name of the file that the text came from; without its extension it is the scenario's name
     * @param text the text of the file
     * @param folderForRecordedFiles the folder of the recordings that the text names; null if it may name none
     * @throws ScenarioException with every mistake, if the text contains one
     */
    public static Scenario read(String name, String text, @Nullable Path folderForRecordedFiles)
            throws ScenarioException {
        return new ScenarioReader(name, folderForRecordedFiles).scenario(text);
    }

    private ScenarioException failure() {
        return new ScenarioException(mistakes.inOrder());
    }

    private Scenario scenario(String text) throws ScenarioException {
        Node root = YamlTree.read(text, mistakes);
        if (root == null) {
            throw failure();
        }
        Scenario scenario = scenario(Fields.of(root, "the file", Keys.TOP, mistakes, null));
        if (!mistakes.isEmpty()) {
            throw failure();
        }
        return scenario;
    }

    private Scenario scenario(Fields top) {
        Duration duration = top.duration("duration", Defaults.DURATION, Fields.TINY, DURATION_MAX);
        // A wrong duration is reported once. The longest duration replaces it here, so that values compared with it are
        // not reported too.
        Duration end = top.areRight("duration") ? duration : DURATION_MAX;
        Limiter limiter = new Limiter(
                top.number("limiterPerSec", Defaults.LIMITER.perSecond(), RATE_LEAST, RATE_MOST),
                top.whole("burst", Defaults.LIMITER.burst(), 1, BURST_MOST),
                top.choice("permits", Defaults.LIMITER.sharing(), Defaults.SHARINGS));
        Coordinator coordinator = coordinator(top.map("coordinator", Keys.COORDINATOR));
        Map<String, Service> services = services(top, end);
        return new Scenario(
                name,
                top.wholeLong("seed", Defaults.SEED, Long.MIN_VALUE, Long.MAX_VALUE),
                top.text("endpoint", Defaults.ENDPOINT, ENDPOINT_MAX),
                duration,
                sampleEvery(top, end, services.size()),
                limiter,
                coordinator,
                database(top.map("database", Keys.DATABASE)),
                tokens(top.map("tokens", Keys.TOKENS)),
                List.copyOf(services.values()),
                new FaultReader(top, end, services.keySet()).read(),
                new ExpectedReader(top).read(limiter, coordinator));
    }

    private static Duration sampleEvery(Fields top, Duration end, int services) {
        Duration every = top.duration("sampleEvery", Defaults.SAMPLE_EVERY, Duration.ofMillis(1), Fields.YEAR);
        if (!top.areRight("sampleEvery", "duration")) {
            return every;
        }
        String value = DurationText.format(every);
        if (every.compareTo(end) > 0) {
            String allowed = "a duration, at most the scenario's (" + DurationText.format(end) + ")";
            top.refuse(top.at("sampleEvery", "duration"), "sampleEvery", value, allowed);
        } else if (services * (end.toNanos() / every.toNanos()) > SAMPLES_MAX) {
            long least = Math.floorDiv(services * end.toMillis(), SAMPLES_MAX) + 1;
            String allowed = "at least " + DurationText.format(Duration.ofMillis(least)) + " with " + services
                    + " services over " + DurationText.format(end) + ", for at most " + SAMPLES_MAX + " samples";
            top.refuse(top.at("sampleEvery", "duration"), "sampleEvery", value, allowed);
        }
        return every;
    }

    private static Coordinator coordinator(Fields fields) {
        Coordinator usual = Defaults.COORDINATOR;
        return new Coordinator(
                fields.latency("latency", usual.latency()),
                fields.whole("leaseLimit", usual.leaseLimit(), 0, COUNT_MOST),
                fields.duration("leaseTime", usual.leaseTime(), LEASE_TIME_LEAST, LEASE_TIME_MOST),
                fields.choice("whenAway", usual.whenAway(), Defaults.WHEN_AWAY),
                fields.duration("clockSkew", usual.clockSkew(), Fields.ZERO, CLOCK_SKEW_MOST),
                fields.number("loseAnswers", usual.loseAnswers(), 0, TROUBLE_MOST),
                fields.number("conflicts", usual.conflicts(), 0, TROUBLE_MOST));
    }

    private static Database database(Fields fields) {
        Database usual = Defaults.DATABASE;
        return new Database(
                fields.number("rate", usual.ratePerSecond(), 0, RATE_MOST),
                fields.whole("burst", usual.burst(), 0, COUNT_MOST),
                fields.whole("cap", usual.cap(), 0, COUNT_MOST),
                fields.duration("maxAge", usual.maxAge(), Fields.ZERO, Fields.YEAR),
                fields.latency("handshake", usual.handshake()),
                fields.latency("close", usual.close()),
                fields.duration("crashNotice", usual.crashNotice(), Fields.ZERO, Fields.YEAR));
    }

    private static Tokens tokens(Fields fields) {
        Tokens usual = Defaults.TOKENS;
        return new Tokens(
                fields.duration("lifetime", usual.lifetime(), Fields.ZERO, Fields.YEAR),
                fields.duration("renewBefore", usual.renewBefore(), Fields.ZERO, Fields.YEAR),
                fields.latency("fetch", usual.fetch()));
    }

    /** Reads the services, by name, in the order of the file. */
    private Map<String, Service> services(Fields top, Duration end) {
        ServiceReader reader = new ServiceReader(end, new Recordings(folder, mistakes));
        Fields defaults = top.map("defaults", Keys.DEFAULTS);
        reader.readDefaults(defaults);
        Map<String, Service> services = new LinkedHashMap<>();
        List<Node> nodes = top.list("services", A_LIST);
        if (nodes.isEmpty() && top.areRight("services")) {
            mistakes.missing(top.where(), "services", A_LIST);
        } else if (nodes.size() > SERVICES_MAX) {
            top.refuse(top.at("services"), "services", nodes.size() + " services", "at most " + SERVICES_MAX);
            return services;
        }
        Map<String, Node> names = new LinkedHashMap<>();
        for (Node node : nodes) {
            Fields fields = Fields.of(node, "a service", Keys.SERVICE, mistakes, defaults);
            Service service = reader.read(fields);
            Node first = names.putIfAbsent(service.name(), fields.at("name"));
            if (first != null && fields.areRight("name")) {
                mistakes.twice(fields.at("name"), "the service " + service.name(), first);
            }
            if (!service.name().isEmpty()) {
                services.putIfAbsent(service.name(), service);
            }
        }
        checkSize(top, new ArrayList<>(services.values()));
        return services;
    }

    private static void checkSize(Fields top, List<Service> services) {
        long processes = services.stream().mapToLong(Service::instances).sum();
        long connections = services.stream().mapToLong(Service::target).sum();
        if (processes > PROCESSES_MAX) {
            top.refuse(top.at("services"), "services", processes + " processes", "at most " + PROCESSES_MAX);
        } else if (connections > CONNECTIONS_MAX) {
            top.refuse(top.at("services"), "services", connections + " connections", "at most " + CONNECTIONS_MAX);
        }
    }
}
