package dev.reservoir.cli.cluster;

import dev.reservoir.cli.budget.ModeOptions;
import dev.reservoir.cli.console.Console;
import dev.reservoir.cli.console.NumberText;
import dev.reservoir.cli.console.TextTable;
import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.inspect.ClusterInspectionReport;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Bucket;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Counter;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Finding;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Member;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Second;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Shares;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Windows;
import dev.reservoir.core.util.Text;
import java.io.PrintStream;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Prints a cluster's budget as text. */
final class ClusterText {
    private static final int SECONDS_SHOWN = 10;

    private static final DateTimeFormatter MOMENT = DateTimeFormatter.ofPattern(
                    "yyyy-MM-dd HH:mm:ss 'UTC'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private final Console console;
    private final PrintStream out;

    ClusterText(Console console) {
        this.console = console;
        this.out = console.out();
    }

    void print(ClusterInspectionReport report, ClusterSettings settings, boolean watched) {
        out.println(console.strong(report.endpoint()) + ": "
                + NumberText.count(report.members().size(), "process")
                + ", permits " + ModeOptions.name(settings.permitMode()) + ", leases "
                + ModeOptions.name(settings.leaseMode()) + moment(report));
        out.println();
        if (!report.members().isEmpty()) {
            members(report, settings, watched);
            out.println();
        }
        if (report.shares() != null) {
            shares(report.shares(), settings, report.storeMillis());
        }
        if (report.counter() != null) {
            counter(report.counter());
        }
        if (report.bucket() != null) {
            bucket(report.bucket(), report.storeMillis());
        }
        if (report.windows() != null) {
            windows(report.windows(), report.storeMillis());
        }
        out.println();
        findings(report);
        verdict(report);
    }

    private static String moment(ClusterInspectionReport report) {
        return report.storeMillis() == 0 ? "" : "; " + MOMENT.format(Instant.ofEpochMilli(report.storeMillis()));
    }

    private void members(ClusterInspectionReport report, ClusterSettings settings, boolean watched) {
        Counter counter = report.counter();
        Map<String, Set<String>> leases = counter == null ? Map.of() : counter.byOwner();
        TextTable table = new TextTable().left("process").left("service").left("host");
        if (report.shares() != null) {
            table.right("share").right("used");
        } else if (counter != null) {
            table.right("leases");
        }
        table.left("joined").left("renewed");
        if (watched) {
            table.left("watched for " + TimeAgo.span(report.watchedNanos() / 1_000_000));
        }
        List<Member> members = new ArrayList<>(report.members());
        members.sort(Comparator.comparing(Member::service)
                .thenComparing(Member::host)
                .thenComparing(Member::id));
        for (Member member : members) {
            List<String> cells = new ArrayList<>(List.of(member.id(), member.service(), member.host()));
            if (report.shares() != null) {
                cells.add(NumberText.number(member.share()));
                cells.add(NumberText.number(member.used()));
            } else if (counter != null) {
                cells.add(NumberText.number(
                        leases.getOrDefault(member.id(), Set.of()).size()));
            }
            cells.add(TimeAgo.since(member.joinedMillis(), report.storeMillis()));
            cells.add(renewed(member, report, settings, watched));
            if (watched) {
                cells.add(seen(member, settings));
            }
            table.row(cells);
        }
        table.print(
                out, (cell, padded) -> cell.endsWith("SILENT") || cell.equals("DEAD") ? console.bad(padded) : padded);
    }

    private static String renewed(
            Member member, ClusterInspectionReport report, ClusterSettings settings, boolean watched) {
        if (!member.written()) {
            return "no item";
        }
        String ago = TimeAgo.since(member.renewedMillis(), report.storeMillis());
        long silentMillis = report.storeMillis() - member.renewedMillis();
        boolean isSilent = !watched
                && member.renewedMillis() > 0
                && silentMillis > settings.leaseTime().toMillis();
        return isSilent ? ago + ", SILENT" : ago;
    }

    private static String seen(Member member, ClusterSettings settings) {
        if (!member.written()) {
            return "";
        }
        if (member.beatsSeen() > 0) {
            return "renewed " + NumberText.count(member.beatsSeen(), "time");
        }
        return member.stillNanos() >= settings.leaseTime().toNanos() ? "DEAD" : "has not renewed";
    }

    private void shares(Shares shares, ClusterSettings settings, long nowMillis) {
        long limit = shares.limit() > 0 ? shares.limit() : settings.limit();
        String hungry =
                shares.hungryUntilSeconds() * 1_000 > nowMillis ? " A process below its fair share wants more." : "";
        out.println(
                "  Leases: " + NumberText.number(shares.total()) + " of " + NumberText.number(limit) + " given out, "
                        + (shares.total() == shares.sum()
                                ? "which is the sum of the shares."
                                : "but the shares add up to " + NumberText.number(shares.sum()) + ".")
                        + hungry);
    }

    private void counter(Counter counter) {
        String services = counter.othersByService().entrySet().stream()
                .map(entry -> (entry.getKey().isEmpty() ? "no service" : entry.getKey()) + " "
                        + NumberText.number(entry.getValue()))
                .collect(Collectors.joining(", "));
        out.println("  Leases: " + NumberText.number(counter.active()) + " of " + NumberText.number(counter.limit())
                + " counted; " + NumberText.number(counter.ours()) + " leases of Java processes, "
                + NumberText.number(counter.others()) + " of Go processes"
                + (services.isEmpty() ? "" : " (" + services + ")")
                + ".");
    }

    private void bucket(Bucket bucket, long nowMillis) {
        String free = bucket.aheadMicros() > 0
                ? "none free for " + Text.nanos(bucket.aheadMicros() * 1_000) + " (reserved until then)"
                : NumberText.number(bucket.free()) + " of " + NumberText.number(bucket.burst()) + " free";
        out.println("  Permits: " + free + "; " + Text.perSecond(bucket.ratePerSecond()) + " are added. "
                + (bucket.written()
                        ? "Last taken " + orUnknown(TimeAgo.since(bucket.updatedMillis(), nowMillis)) + "."
                        : "None has been taken yet."));
    }

    private static String orUnknown(String ago) {
        return ago.isEmpty() ? "at an unknown time" : ago;
    }

    private void windows(Windows windows, long nowMillis) {
        long now = nowMillis / 1_000;
        @Nullable Second last = null;
        List<String> counts = new ArrayList<>();
        for (Second second : windows.seconds()) {
            if (second.epochSecond() <= now) {
                counts.add(NumberText.number(second.count()));
                last = second;
            }
        }
        // A new second may have begun since the windows were read, so the list may be one too long.
        List<String> shown = counts.subList(Math.max(0, counts.size() - SECONDS_SHOWN), counts.size());
        out.println("  Permits: " + NumberText.number(last == null ? 0 : last.count()) + " of "
                + NumberText.number(windows.limit()) + " taken in this second; in the last " + shown.size() + ": "
                + String.join(" ", shown));
    }

    /** Prints mistakes and notes, one line for each. */
    void findings(ClusterInspectionReport report) {
        if (report.findings().isEmpty()) {
            return;
        }
        TextTable table = new TextTable().left("").left("");
        report.findings().stream()
                .sorted(Comparator.comparing(Finding::wrong).reversed())
                .forEach(finding -> table.row(List.of(finding.wrong() ? "wrong" : "note", finding.text())));
        table.print(console);
        out.println();
    }

    private void verdict(ClusterInspectionReport report) {
        long wrong = report.findings().stream().filter(Finding::wrong).count();
        console.verdict(
                wrong == 0,
                wrong == 0
                        ? ""
                        : NumberText.count(wrong, "problem")
                                + "; reservoir cluster repair shows how to repair the counts");
    }
}
