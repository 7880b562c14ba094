package dev.reservoir.cli.budget;

import dev.reservoir.cli.console.MisuseException;
import dev.reservoir.cli.console.Setting;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The tables of a {@code tables} command, named as arguments, by options or by the environment. */
public final class TableNames {
    @Parameters(arity = "0..*", paramLabel = "NAME", description = "the tables; or name them with the options below")
    private List<String> given = new ArrayList<>();

    @Mixin
    public TableOptions options = new TableOptions();

    public Set<String> names(Map<String, String> environment) {
        if (given.isEmpty()) {
            return options.names(environment);
        }
        if (options.areNamed()) {
            throw new MisuseException("'" + given.get(0) + "' and an option both name tables; allowed: one of them");
        }
        Set<String> names = new LinkedHashSet<>();
        given.forEach(name -> names.add(TableOptions.checked(new Setting("table", name))));
        return names;
    }
}
