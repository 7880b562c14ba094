package dev.reservoir.cli.sim;

import picocli.CommandLine.Command;

/**
 * The command {@code reservoir sim}. Holds the help text; its subcommands do the work. Without a subcommand,
 * {@code reservoir sim run} runs.
 */
@Command(
        customSynopsis = {"reservoir sim [run] [OPTIONS] [FILE|NAME ...]", "       reservoir sim COMMAND [OPTIONS] ..."
        },
        description = {
            "Simulates a fleet on virtual time, and says whether the assertions hold.",
            "Every process of the fleet has a pool, and the database limits connections. The simulator runs the"
                    + " engine itself, not a model of it. Hours take seconds, and the same file and seed give the"
                    + " same result every time."
        },
        footer = {
            "Examples:",
            "  reservoir sim ecs-400wps                         will 22,000 connections be there in time?",
            "  reservoir sim my.yaml --report report.html       your own fleet, as a page with charts",
            "  reservoir sim mass-drop --pool reservoir,plain   the same with another pool",
            "  reservoir sim sweep my.yaml --vary target=25..200:25   how many connections are enough?",
            "  reservoir sim show local > my.yaml               a file to begin with"
        })
public final class SimCommand {}
