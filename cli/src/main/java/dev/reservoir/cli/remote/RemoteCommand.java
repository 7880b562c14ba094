package dev.reservoir.cli.remote;

import picocli.CommandLine.Command;

/** The command {@code reservoir remote}. Holds the help text; its subcommands do the work. */
@Command(
        customSynopsis = "reservoir remote check|serve [OPTIONS] FILE",
        description = {
            "Checks or runs a registry of pools to many servers, for many users.",
            "The file holds the statements CREATE SERVER and CREATE USER MAPPING."
        },
        footer = {
            "Examples:",
            "  reservoir remote check servers.sql                          connects to every server as every user",
            "  reservoir remote serve servers.sql --password-file sql.pw   views over SQL, metrics for Prometheus"
        })
public final class RemoteCommand {}
