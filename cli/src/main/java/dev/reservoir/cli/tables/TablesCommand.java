package dev.reservoir.cli.tables;

import picocli.CommandLine.Command;

/** The command {@code reservoir tables}. Holds the help text; its subcommands do the work. */
@Command(
        customSynopsis = "reservoir tables create|check|delete|policy [OPTIONS]",
        description = {
            "Creates, checks and deletes the DynamoDB tables in which a fleet counts its connections.",
            "One table is enough for permits and leases, and for any number of clusters."
        },
        footer = {
            "Examples:",
            "  reservoir tables create --table reservoir --region eu-west-1",
            "  reservoir tables check --table reservoir --region eu-west-1",
            "  reservoir tables policy --table reservoir --region eu-west-1   the permissions that the fleet needs"
        })
public final class TablesCommand {}
