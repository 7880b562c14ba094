package dev.reservoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.cli.sim.SimCommand;
import dev.reservoir.cli.sim.SimRunCommand;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** A command line creates only the commands that it names. */
class CommandsTest {
    private static CommandLine created(String... words) {
        return new Commands(Shell.piped().console(), Map.of())
                .commandLine(List.of(words), (command, wrong) -> 2, e -> 1);
    }

    private static void assertListed(CommandLine command, String... names) {
        for (String name : names) {
            CommandLine listed = command.getSubcommands().get(name);
            assertThat(listed.getCommandSpec().userObject()).as(name).isNull();
            assertThat(listed.getCommandSpec().usageMessage().description())
                    .as(name)
                    .isNotEmpty();
        }
    }

    @Test
    void onlyTheNamedCommandIsCreated() {
        CommandLine all = created("sim", "run", "sweep");
        CommandLine sim = all.getSubcommands().get("sim");

        assertListed(all, "demo", "emulator", "tables", "cluster", "remote", "flight-server", "flight-demo");
        assertThat(sim.getCommandSpec().userObject()).isInstanceOf(SimCommand.class);
        assertListed(sim, "compare", "sweep", "fuzz", "list", "show");
        assertThat(sim.getSubcommands().get("run").getCommandSpec().userObject())
                .isInstanceOf(SimRunCommand.class);
    }

    @Test
    void noCommandIsCreatedForTheListOfCommands() {
        assertListed(
                created("--help"),
                "demo",
                "emulator",
                "sim",
                "tables",
                "cluster",
                "remote",
                "flight-server",
                "flight-demo");
    }

    /** The list cannot ask their classes, which a build without their libraries does not have. */
    @Test
    void theFlightSqlCommandsAreListedWithTheirOwnWords() {
        for (String name : List.of("flight-server", "flight-demo")) {
            String[] listed = description(created("--help"), name);
            assertThat(listed).hasSize(1);
            assertThat(listed[0]).isEqualTo(description(created(name), name)[0]);
        }
    }

    private static String[] description(CommandLine all, String name) {
        return all.getSubcommands().get(name).getCommandSpec().usageMessage().description();
    }
}
