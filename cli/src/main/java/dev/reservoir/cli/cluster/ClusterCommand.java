package dev.reservoir.cli.cluster;

import picocli.CommandLine.Command;

/** The command {@code reservoir cluster}. Holds the help text; its subcommands do the work. */
@Command(
        name = "cluster",
        customSynopsis = "reservoir cluster status|repair [OPTIONS] ENDPOINT",
        description = {
            "Looks into the books in which a fleet counts its connections, and puts them right.",
            "Tables, modes and limits are those of the fleet: taken from the variables DSQL_DISTRIBUTED_* where they are"
                    + " set, and from the options."
        },
        footer = {
            "Examples:",
            "  reservoir cluster status my.dsql.eu-west-1.on.aws --table reservoir",
            "  reservoir cluster status my.dsql.eu-west-1.on.aws --table reservoir --watch 10s   who is alive?",
            "  reservoir cluster repair my.dsql.eu-west-1.on.aws --table reservoir               what is to be done?",
            "  reservoir cluster repair my.dsql.eu-west-1.on.aws --table reservoir --apply       does it"
        })
public final class ClusterCommand {}
