package dev.reservoir.cli.tables;

import dev.reservoir.cli.budget.ClusterAccess;
import dev.reservoir.cli.console.TextTable;
import dev.reservoir.dynamodb.store.DynamoTables;
import dev.reservoir.dynamodb.store.DynamoTables.Finding;
import dev.reservoir.dynamodb.store.DynamoTables.Level;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Command;

/** The command {@code reservoir tables check}. Never changes a table. */
@Command(
        customSynopsis = "reservoir tables check [OPTIONS] [NAME ...]",
        description = {"Checks whether the tables are set up correctly. Changes nothing."},
        footer = {"Exit codes: 0 if the budget works with these tables, 1 if it does not, 2 if called wrongly."})
public final class TablesCheckCommand extends TablesAction {
    @Override
    int run(DynamoTables tables, Set<String> given) {
        boolean right = true;
        TextTable lines = new TextTable().left("").left("");
        for (String name : given) {
            List<Finding> findings = ClusterAccess.asked(() -> tables.check(name));
            if (findings.isEmpty()) {
                lines.row(List.of("ok", "table " + name + " is set up correctly"));
            }
            for (Finding finding : findings) {
                boolean wrong = finding.level() == Level.PROBLEM;
                right &= !wrong;
                lines.row(List.of(wrong ? "wrong" : "advice", finding.text()));
            }
        }
        lines.print(console);
        console.out().println();
        return console.verdict(right);
    }
}
