package dev.reservoir.bench.attack;

import dev.reservoir.bench.Arguments;
import dev.reservoir.bench.Daemons;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs attacks one after the other, and fails if a check did not hold. */
public final class AttackPart {

    private static final Duration LIMIT = Duration.ofMinutes(2);

    /** One attack. */
    interface Attack {
        /**
         * Runs the attack and adds its findings to the verdict. Blocks until the attack is over; the caller gives up
         * after a time limit.
         */
        void run(Verdict verdict) throws Exception;
    }

    private record Named(String attacked, Attack attack) {}

    private static final Map<String, Named> ATTACKS = new LinkedHashMap<>();

    static {
        put("sources", "1,000 data sources opened and closed in one process", new ManySources());
        put("silent", "a server that accepts and never answers", new SilentServer());
        put("close", "a driver that never returns from close", new HangingDriver("close"));
        put("abort", "a driver that never returns from close and abort", new HangingDriver("close", "abort"));
        put("isvalid", "a driver that never returns from isValid", new HangingDriver("isValid"));
        put("dns", "a host name whose address changes", new MovingName());
        put("descriptors", "all file descriptors of the process taken", new Descriptors());
        put("heap", "all memory of the process taken", new Heap());
    }

    private static void put(String name, String attacked, Attack attack) {
        ATTACKS.put(name, new Named(attacked, attack));
    }

    private AttackPart() {}

    /** Takes {@code --case}, a list of attacks separated by commas. */
    public static void run(Arguments arguments) throws InterruptedException {
        List<String> failed = new ArrayList<>();
        for (String name : names(arguments.text("case", "all"))) {
            Named named = ATTACKS.get(name);
            if (named != null && !holds(name, named)) {
                failed.add(name);
            }
        }
        if (!failed.isEmpty()) {
            throw new IllegalStateException("did not hold: " + failed);
        }
    }

    static List<String> names(String text) {
        return Arguments.choose("case", text, ATTACKS.keySet());
    }

    private static boolean holds(String name, Named named) throws InterruptedException {
        Verdict verdict = new Verdict(name + ": " + named.attacked());
        FutureTask<Verdict> task = Daemons.call("attack-" + name, () -> {
            named.attack().run(verdict);
            return verdict;
        });
        try {
            task.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            verdict.check(false, "the program failed: " + e.getCause());
        } catch (TimeoutException e) {
            verdict.check(false, "no end within " + LIMIT.toSeconds() + " s");
        }
        System.out.println(verdict.line());
        return verdict.holds();
    }
}
