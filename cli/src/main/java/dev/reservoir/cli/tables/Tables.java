package dev.reservoir.cli.tables;

import dev.reservoir.cli.Main;
import dev.reservoir.cli.budget.ClusterAccess;
import dev.reservoir.cli.budget.TableNames;
import dev.reservoir.cli.console.Console;
import dev.reservoir.cli.console.TextTable;
import dev.reservoir.dynamodb.store.DynamoClient;
import dev.reservoir.dynamodb.store.DynamoTables;
import dev.reservoir.dynamodb.store.DynamoTables.Finding;
import dev.reservoir.dynamodb.store.DynamoTables.Level;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Creates, checks and deletes DynamoDB tables, and prints what it did. Its methods block until DynamoDB has answered.
 */
public final class Tables implements AutoCloseable {
    private final Console console;
    private final DynamoClient client;
    private final DynamoTables tables;
    private final Set<String> names;

    private Tables(Console console, DynamoClient client, Set<String> names) {
        this.console = console;
        this.client = client;
        this.tables = new DynamoTables(client);
        this.names = names;
    }

    static Tables open(Console console, TableNames given, Map<String, String> environment) {
        Set<String> names = given.names(environment);
        return new Tables(console, ClusterAccess.client(given.options, environment, ""), names);
    }

    int create() {
        for (String name : names) {
            List<String> done = ClusterAccess.asked(() -> tables.create(name));
            if (done.isEmpty()) {
                console.out().println("table " + name + " exists, nothing to do");
            }
            done.forEach(console.out()::println);
        }
        return Main.OK;
    }

    int check() {
        boolean right = true;
        TextTable lines = new TextTable().left("").left("");
        for (String name : names) {
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
        lines.print(console.out(), (cell, padded) -> switch (cell) {
            case "ok" -> console.good(padded);
            case "wrong" -> console.bad(padded);
            default -> padded;
        });
        console.out().println();
        console.out().println(right ? console.good("OK") : console.bad("FAIL"));
        return right ? Main.OK : Main.FAILED;
    }

    int delete() {
        for (String name : names) {
            boolean wasThere = ClusterAccess.asked(() -> tables.delete(name));
            console.out().println(wasThere ? "deleted table " + name : "table " + name + " did not exist");
        }
        return Main.OK;
    }

    @Override
    public void close() {
        client.close();
    }
}
