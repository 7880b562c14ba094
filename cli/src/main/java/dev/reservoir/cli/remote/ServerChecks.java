package dev.reservoir.cli.remote;

import dev.reservoir.remote.adapter.Adapters;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.UserMapping;
import dev.reservoir.remote.sql.Catalog;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Checks every server of a catalog with every user mapping, many at a time. The calling thread coordinates: it starts
 * checks, collects results and gives up those that are overdue. So a server that hangs costs only its own deadline.
 */
final class ServerChecks {
    /** Most checks at a time. Each has a thread. A check that was given up does not count, although it may hang. */
    private static final int AT_ONCE = 256;

    /** Most checks of one server at a time, so that a server with many users is not flooded. */
    private static final int PER_SERVER = 4;

    /** How often overdue checks are looked for. */
    private static final long LOOK_MILLIS = 50;

    /** A check that ran to its end. The result is null if it was given up before. */
    private record Ended(LoginCheck check, @Nullable CheckResult result) {}

    private final List<LoginCheck> pending = new ArrayList<>();
    private final Set<LoginCheck> underWay = new LinkedHashSet<>();
    private final Map<String, Integer> perServer = new HashMap<>();
    private final BlockingQueue<Ended> ended = new LinkedBlockingQueue<>();
    private final List<CheckResult> results = new ArrayList<>();

    private ServerChecks(Catalog catalog, Adapters adapters) {
        for (ServerDefinition server : catalog.servers()) {
            List<UserMapping> mappings = catalog.mappings(server.name());
            if (mappings.isEmpty()) {
                results.add(withoutMapping(server));
            }
            for (UserMapping mapping : mappings) {
                pending.add(new LoginCheck(server, mapping, adapters));
            }
        }
    }

    /** Runs all checks. Blocks until each has ended or is overdue. Returns them in the order of servers and users. */
    static List<CheckResult> run(Catalog catalog, Adapters adapters) throws InterruptedException {
        return new ServerChecks(catalog, adapters).run();
    }

    private List<CheckResult> run() throws InterruptedException {
        while (!pending.isEmpty() || !underWay.isEmpty()) {
            startWhatFits();
            Ended next = ended.poll(LOOK_MILLIS, TimeUnit.MILLISECONDS);
            if (next != null) {
                finish(next.check(), next.result());
            }
            long now = System.nanoTime();
            for (LoginCheck check : List.copyOf(underWay)) {
                if (check.isOverdue(now)) {
                    finish(check, check.giveUp());
                }
            }
        }
        results.sort(Comparator.comparing(CheckResult::server)
                .thenComparing(result -> result.localUser() == null ? "" : result.localUser()));
        return results;
    }

    private void startWhatFits() {
        for (Iterator<LoginCheck> left = pending.iterator(); left.hasNext() && underWay.size() < AT_ONCE; ) {
            LoginCheck check = left.next();
            if (perServer.getOrDefault(check.server(), 0) < PER_SERVER) {
                left.remove();
                perServer.merge(check.server(), 1, Integer::sum);
                underWay.add(check);
                start(check);
            }
        }
    }

    private void start(LoginCheck check) {
        check.begin();
        Thread thread = new Thread(() -> ended.add(new Ended(check, check.run())), "check-" + check.server());
        // A driver that hangs must not keep the command from ending.
        thread.setDaemon(true);
        thread.start();
    }

    private void finish(LoginCheck check, @Nullable CheckResult result) {
        if (result != null) {
            underWay.remove(check);
            perServer.merge(check.server(), -1, Integer::sum);
            results.add(result);
        }
    }

    private static CheckResult withoutMapping(ServerDefinition server) {
        String problem = RemoteErrorCode.USER_MAPPING_NOT_FOUND.code() + ": " + server.name()
                + ": no user mapping, so nobody can connect; add one with CREATE USER MAPPING";
        return new CheckResult(server.name(), server.type().label(), null, null, null, null, null, null, null, problem);
    }
}
