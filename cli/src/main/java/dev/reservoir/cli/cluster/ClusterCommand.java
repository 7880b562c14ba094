package dev.reservoir.cli.cluster;

import picocli.CommandLine.Command;

/** The command {@code reservoir cluster}. Holds the help text; its subcommands do the work. */
@Command(
        customSynopsis = "reservoir cluster status|repair [OPTIONS] ENDPOINT",
        description = {
            "Shows and repairs the counts of a cluster's budget.",
            "Tables, modes and limits must be those of the fleet. They are taken from the options, or else from the"
                    + " variables DSQL_DISTRIBUTED_*."
        },
        footer = {
            "Examples:",
            "  reservoir cluster status my.dsql.eu-west-1.on.aws --table reservoir",
            "  reservoir cluster status my.dsql.eu-west-1.on.aws --table reservoir --watch 10s   shows which"
                    + " processes are alive",
            "  reservoir cluster repair my.dsql.eu-west-1.on.aws --table reservoir               shows the repairs",
            "  reservoir cluster repair my.dsql.eu-west-1.on.aws --table reservoir --apply       makes the repairs"
        })
public final class ClusterCommand {}
