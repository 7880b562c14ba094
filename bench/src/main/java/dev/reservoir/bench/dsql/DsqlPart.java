package dev.reservoir.bench.dsql;

import dev.reservoir.bench.Arguments;
import dev.reservoir.bench.pools.PoolKind;
import dev.reservoir.bench.report.Results;
import java.time.Duration;

/** Runs one case: {@code beside} for one pool, {@code load} or {@code soak}. */
public final class DsqlPart {
    private DsqlPart() {}

    /**
     * Takes {@code --case}; {@code beside} also takes {@code --pool}, and {@code soak} takes {@code --minutes} and
     * {@code --seed}.
     */
    public static void run(Arguments arguments, Results results) throws Exception {
        String name = arguments.text("case");
        switch (name) {
            case "beside" -> BesideCase.run(PoolKind.byId(arguments.text("pool")), results);
            case "load" -> LoadCase.run(results);
            case "soak" -> {
                Duration length = Duration.ofMinutes(arguments.number("minutes", 10));
                if (!new SoakCase(arguments.number("seed", 1), System.out).run(length)) {
                    throw new IllegalStateException("a promise was broken");
                }
            }
            default -> throw new IllegalArgumentException("--case = " + name + ", allowed: beside, load, soak");
        }
    }
}
