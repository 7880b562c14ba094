package dev.reservoir.sim.file;

import static dev.reservoir.sim.scenario.ScenarioKeys.DURATION;
import static dev.reservoir.sim.scenario.ScenarioKeys.LEASES_MATCH_CONNECTIONS;
import static dev.reservoir.sim.scenario.ScenarioKeys.SAMPLE_EVERY;
import static dev.reservoir.sim.scenario.ScenarioKeys.SERVICES;
import static dev.reservoir.sim.scenario.ScenarioKeys.SERVICE_NAME;

import dev.reservoir.sim.scenario.DurationText;
import dev.reservoir.sim.scenario.Scenario;
import dev.reservoir.sim.scenario.Scenario.Service;
import dev.reservoir.sim.scenario.ScenarioKeys;
import dev.reservoir.sim.scenario.Values;
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
    private static final long FILE_BYTES_MAX = 10_000_000;
    private static final int SERVICES_MAX = 1_000;
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
        Scenario scenario = scenario(Fields.of(root, "the file", ScenarioKeys.TOP.names(), mistakes, null));
        if (!mistakes.isEmpty()) {
            throw failure();
        }
        return scenario;
    }

    private Scenario scenario(Fields top) {
        Values values = top.values(ScenarioKeys.TOP);
        // A wrong duration is reported once. The longest duration replaces it here, so that values compared with it are
        // not reported too.
        Duration end = top.areRight(DURATION) ? values.get(DURATION) : Scenario.DURATION_MAX;
        Map<String, Service> services = services(top, end);
        checkSamples(top, values.get(SAMPLE_EVERY), end, services.size());
        values.put(ScenarioKeys.NAME, name);
        values.put(SERVICES, List.copyOf(services.values()));
        values.put(ScenarioKeys.FAULTS, new FaultReader(top, end, services.keySet()).read());
        if (values.get(LEASES_MATCH_CONNECTIONS) && values.get(ScenarioKeys.LEASE_LIMIT) == 0) {
            String allowed = "false, or true with a coordinator that has a leaseLimit";
            top.refuse(top.at(LEASES_MATCH_CONNECTIONS), LEASES_MATCH_CONNECTIONS, "true", allowed);
        }
        return values.build(Scenario.class);
    }

    private static void checkSamples(Fields top, Duration every, Duration end, int services) {
        if (!top.areRight(SAMPLE_EVERY, DURATION)) {
            return;
        }
        if (every.compareTo(end) > 0) {
            String allowed = "a duration, at most the scenario's (" + DurationText.format(end) + ")";
            top.refuse(top.at(SAMPLE_EVERY, DURATION), SAMPLE_EVERY, every, allowed);
        } else if (services * (end.toNanos() / every.toNanos()) > Scenario.SAMPLES_MAX) {
            long least = Math.floorDiv(services * end.toMillis(), Scenario.SAMPLES_MAX) + 1;
            String allowed = "at least " + DurationText.format(Duration.ofMillis(least)) + " with " + services
                    + " services over " + DurationText.format(end) + ", for at most " + Scenario.SAMPLES_MAX
                    + " samples";
            top.refuse(top.at(SAMPLE_EVERY, DURATION), SAMPLE_EVERY, every, allowed);
        }
    }

    /** Reads the services, by name, in the order of the file. */
    private Map<String, Service> services(Fields top, Duration end) {
        ServiceReader reader = new ServiceReader(end, new Recordings(folder, mistakes));
        List<String> keys = ScenarioKeys.SERVICE.names();
        Fields defaults = top.map(
                ScenarioKeys.DEFAULTS,
                keys.stream().filter(key -> !key.equals(SERVICE_NAME.name())).toList());
        reader.readDefaults(defaults);
        Map<String, Service> services = new LinkedHashMap<>();
        List<Node> nodes = top.list(SERVICES, A_LIST);
        if (nodes.isEmpty() && top.areRight(SERVICES)) {
            mistakes.missing(top.where(), SERVICES.name(), A_LIST);
        } else if (nodes.size() > SERVICES_MAX) {
            top.refuse(top.at(SERVICES), SERVICES, nodes.size() + " services", "at most " + SERVICES_MAX);
            return services;
        }
        Map<String, Node> names = new LinkedHashMap<>();
        for (Node node : nodes) {
            Fields fields = Fields.of(node, "a service", keys, mistakes, defaults);
            Service service = reader.read(fields);
            Node first = names.putIfAbsent(service.name(), fields.at(SERVICE_NAME));
            if (first != null && fields.areRight(SERVICE_NAME)) {
                mistakes.twice(fields.at(SERVICE_NAME), "the service " + service.name(), first);
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
        if (processes > Scenario.PROCESSES_MAX) {
            top.refuse(top.at(SERVICES), SERVICES, processes + " processes", "at most " + Scenario.PROCESSES_MAX);
        } else if (connections > Scenario.CONNECTIONS_MAX) {
            top.refuse(top.at(SERVICES), SERVICES, connections + " connections", "at most " + Scenario.CONNECTIONS_MAX);
        }
    }
}
