package dev.reservoir.cli.remote;

import dev.reservoir.cli.console.CliCommand;
import dev.reservoir.cli.console.CommandFailedException;
import dev.reservoir.cli.console.ExitCode;
import dev.reservoir.cli.console.RefusedInputException;
import dev.reservoir.remote.adapter.Adapters;
import dev.reservoir.remote.sql.Catalog;
import dev.reservoir.remote.sql.CatalogSession;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code reservoir remote check}. Changes nothing on a server. */
@Command(
        customSynopsis = "reservoir remote check [OPTIONS] FILE",
        description = {
            "Connects to every server in the file with every user mapping, and shows what works and what does not.",
            "All servers are checked at the same time. Calls in the file are not made."
        },
        footer = {"Exit codes: 0 if every login works, 1 if one does not, 2 if called wrongly or given a wrong file."})
public final class RemoteCheckCommand extends CliCommand {
    @Parameters(paramLabel = "FILE", arity = "0..*", description = "a file with CREATE SERVER and CREATE USER MAPPING")
    private @Nullable List<String> files;

    @Option(
            names = "--user",
            paramLabel = "NAME",
            description = "the local user that CURRENT_USER means in the file; default: reservoir")
    private @Nullable String user;

    @Option(names = "--json", description = "prints the results as JSON and nothing else")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        String currentUser = ServersFile.user(user);
        ServersFile file = ServersFile.read(files);
        Catalog catalog = new Catalog();
        file.execute(new CatalogSession(catalog, IgnoredCalls.INSTANCE, currentUser));
        if (catalog.servers().isEmpty()) {
            throw new RefusedInputException(
                    List.of("reservoir: " + file + " has no server; allowed: at least one CREATE SERVER"));
        }
        List<CheckResult> results;
        try {
            results = ServerChecks.run(catalog, Adapters.installed());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailedException("the check was interrupted");
        }
        if (json) {
            console.printUtf8(to -> CheckReport.writeJson(results, to));
            return ExitCode.of(results.stream().allMatch(CheckResult::works));
        }
        return CheckReport.print(results, console);
    }
}
