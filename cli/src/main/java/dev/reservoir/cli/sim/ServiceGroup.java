package dev.reservoir.cli.sim;

import dev.reservoir.cli.console.NumberText;
import dev.reservoir.core.util.Text;
import dev.reservoir.sim.result.Outcome;
import dev.reservoir.sim.result.Sample;
import dev.reservoir.sim.scenario.Scenario.Service;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Counts services together that differ only in a number at the end of their name and in their start time. */
record ServiceGroup(String name, List<Sample> last, long longestWaitNanos) {
    private static final Pattern NUMBERED = Pattern.compile("(.*?)(\\d+)");

    /** The groups of an outcome, in the order of the services. */
    static List<ServiceGroup> of(Outcome outcome) {
        Map<String, Long> longest = new HashMap<>();
        outcome.samples().forEach(s -> longest.merge(s.service(), s.waits().maxNanos(), Math::max));
        Map<List<Object>, List<Sample>> alike = new LinkedHashMap<>();
        List<Sample> last = outcome.last();
        List<Service> services = outcome.scenario().services();
        for (int i = 0; i < last.size(); i++) {
            alike.computeIfAbsent(kind(services.get(i)), kind -> new ArrayList<>())
                    .add(last.get(i));
        }
        List<ServiceGroup> groups = new ArrayList<>();
        for (List<Sample> members : alike.values()) {
            long wait = members.stream()
                    .mapToLong(s -> longest.getOrDefault(s.service(), 0L))
                    .max()
                    .orElse(0);
            groups.add(new ServiceGroup(name(members), members, wait));
        }
        return groups;
    }

    private static List<Object> kind(Service service) {
        Matcher numbered = NUMBERED.matcher(service.name());
        boolean hasNumber = numbered.matches();
        return List.of(
                hasNumber ? numbered.group(1) : service.name(),
                hasNumber,
                service.instances(),
                service.pool(),
                service.instanceDelay(),
                service.workload());
    }

    /** The name of a group, such as {@code history-1..16}. */
    private static String name(List<Sample> members) {
        String first = members.get(0).service();
        Matcher end = NUMBERED.matcher(members.get(members.size() - 1).service());
        return members.size() == 1 || !end.matches() ? first : first + ".." + end.group(2);
    }

    static ServiceGroup sum(String name, List<ServiceGroup> groups) {
        return new ServiceGroup(
                name,
                groups.stream().flatMap(group -> group.last.stream()).toList(),
                groups.stream().mapToLong(group -> group.longestWaitNanos).max().orElse(0));
    }

    /** The cells of the group's row in the table. */
    List<String> cells() {
        return List.of(
                name,
                sum(Sample::instances),
                sum(Sample::target),
                sum(Sample::usable),
                sum(Sample::inUse),
                sum(Sample::refills),
                sum(Sample::allDiscards),
                sum(Sample::allOpenFailures),
                sum(Sample::checkouts),
                sum(Sample::emptyEvents),
                sum(Sample::timeouts),
                longestWaitNanos == 0 ? "-" : Text.nanos(longestWaitNanos));
    }

    private String sum(ToLongFunction<Sample> number) {
        return NumberText.number(last.stream().mapToLong(number).sum());
    }
}
