package dev.reservoir.bench;

import dev.reservoir.bench.attack.AttackPart;
import dev.reservoir.bench.cluster.ClusterPart;
import dev.reservoir.bench.contended.ContendedPart;
import dev.reservoir.bench.contended.RequestsPart;
import dev.reservoir.bench.dsql.DsqlPart;
import dev.reservoir.bench.flight.FlightPart;
import dev.reservoir.bench.flight.FlightSoak;
import dev.reservoir.bench.micro.MicroPart;
import dev.reservoir.bench.registry.RegistryIdlePart;
import dev.reservoir.bench.registry.RegistryPart;
import dev.reservoir.bench.report.Report;
import dev.reservoir.bench.report.Results;
import dev.reservoir.bench.scenario.ExpiryPart;
import dev.reservoir.bench.scenario.FleetPart;
import dev.reservoir.bench.scenario.HungPart;
import dev.reservoir.bench.scenario.IdlePoolsPart;
import dev.reservoir.bench.scenario.ScanPart;
import dev.reservoir.bench.trouble.RegistryRecoveryPart;
import dev.reservoir.bench.trouble.TroublePart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Runs one part of the benchmarks and ends the process: {@code Bench <part> --out <file> ...}. The script {@code run}
 * calls it for each part and pool, so that the threads, garbage and compiled code of one pool do not affect the figures
 * of another.
 */
public final class Bench {

    private static final Set<String> KEYS =
            Set.of(("out pool pools pools-count benchmarks size sizes threads rounds seconds"
                            + " limit-seconds case holds iterations side world write-price read-price minutes seed in note")
                    .split(" ", -1));

    private interface Part {
        void run(Arguments arguments, Results results) throws Exception;
    }

    private static final Map<String, Part> PARTS = new TreeMap<>(Map.ofEntries(
            Map.entry("micro", MicroPart::run),
            Map.entry("contended", ContendedPart::run),
            Map.entry("fill", FleetPart::runFill),
            Map.entry("fleet", FleetPart::runFleet),
            Map.entry("expiry", ExpiryPart::run),
            Map.entry("hung", HungPart::run),
            Map.entry("scan", ScanPart::run),
            Map.entry("idle-pools", IdlePoolsPart::run),
            Map.entry("trouble", TroublePart::run),
            Map.entry("registry", RegistryPart::run),
            Map.entry("registry-idle", RegistryIdlePart::run),
            Map.entry("registry-recovery", RegistryRecoveryPart::run),
            Map.entry("attack", (arguments, results) -> AttackPart.run(arguments)),
            Map.entry("loop", ContendedPart::runLoop),
            Map.entry("requests", RequestsPart::run),
            Map.entry("flight", FlightPart::run),
            Map.entry("flight-soak", (arguments, results) -> FlightSoak.run(arguments)),
            Map.entry("cluster", ClusterPart::run),
            Map.entry("dsql", DsqlPart::run)));

    private Bench() {}

    public static void main(String[] args) {
        int status = 0;
        try {
            run(args);
        } catch (Exception e) {
            System.err.println(String.join(" ", args) + ": " + e);
            status = 1;
        }
        // The pools keep running on purpose, and the threads of some would keep the process alive.
        System.exit(status);
    }

    private static void run(String[] args) throws Exception {
        String name = args.length == 0 ? "" : args[0];
        Arguments arguments = new Arguments(args, Math.min(1, args.length), KEYS);
        if (name.equals("report")) {
            report(arguments);
            return;
        }
        Part part = PARTS.get(name);
        if (part == null) {
            throw new IllegalArgumentException("part = " + name + ", allowed: " + PARTS.keySet() + " or report");
        }
        Jvm.silenceLogs();
        part.run(arguments, new Results(Path.of(arguments.text("out")), System.out));
    }

    private static void report(Arguments arguments) throws IOException {
        String page = Report.page(Results.read(Path.of(arguments.text("in"))), arguments.all("note"));
        Files.writeString(Path.of(arguments.text("out")), page);
        System.out.print(page);
    }
}
