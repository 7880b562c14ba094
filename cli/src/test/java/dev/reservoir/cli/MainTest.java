package dev.reservoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The command, as it is called from a shell. */
class MainTest {
    private final Shell shell = Shell.piped();

    @Test
    void withoutACommandItSaysHowItIsCalled() {
        assertThat(shell.run()).isEqualTo(2);

        assertThat(shell.err()).isEqualTo("""
            reservoir: no command given
            usage: reservoir COMMAND [OPTIONS]
            More: reservoir --help
            """);
        assertThat(shell.out()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "fill | unknown command 'fill'; known: demo, emulator, sim, tables, cluster, remote, flight-server,"
                        + " flight-demo",
                "help fill | unknown command 'fill'; known: demo, emulator, sim, tables, cluster, remote, flight-server,"
                        + " flight-demo",
                "--fast | unknown option '--fast'; known: ",
                "demo now | 'now' is not expected here",
                "demo --fast | unknown option '--fast'; known: --for, --no-browser, --port, --no-faults, --plain,"
                        + " --json",
                "demo --plain=yes | --plain takes no value",
                "demo --plain --plain | --plain is given twice",
                "demo --for | --for is missing its value: D",
                "demo --for soon | --for is 'soon'; allowed: such as 90s or 2m, at least 1s, at most 24h",
                "demo --for 0s | --for is '0s'; allowed: such as 90s or 2m, at least 1s, at most 24h",
                "demo --for 25h | --for is '25h'; allowed: such as 90s or 2m, at least 1s, at most 24h",
                "demo --port x | --port is 'x'; allowed: 0 to 65535, 0 for a free one",
                "demo --port 65536 | --port is '65536'; allowed: 0 to 65535, 0 for a free one",
                "demo --port 1 --json | --port is '1', but there is no page with --json; allowed: one of them",
                "demo --port 1 --no-browser | --port is '1', but there is no page with --no-browser; allowed: one of",
                "emulator now | 'now' is not expected here",
                "emulator --port x | --port is 'x'; allowed: 0 to 65535, 0 for a free one",
                "emulator --port 70000 | --port is '70000'; allowed: 0 to 65535, 0 for a free one",
                "emulator --http-port x | --http-port is 'x'; allowed: 0 to 65535, 0 for a free one, or off",
                "emulator --backend x | --backend is 'x'; allowed: embedded, stub",
                "emulator --backend stub --backend-url postgresql://u@h/d | --backend and --backend-url exclude each",
                "emulator --backend-url http://u:secret@h | --backend-url is not such an address; allowed:"
                        + " postgresql://",
                "emulator --backend-url postgresql://h/d | --backend-url is not such an address; allowed:"
                        + " postgresql://",
                "emulator --rate x | --rate is 'x'; allowed: numbers, such as 100 or 0.5",
                "emulator --rate 0 | --rate is '0'; allowed: more than 0",
                "emulator --burst 0 | --burst is '0'; allowed: whole numbers from 1 up",
                "emulator --limit many | --limit is 'many'; allowed: whole numbers",
                "emulator --max-age soon | --max-age is 'soon'; allowed: such as 90s or 2m, at least 1s, at most 24h",
                "emulator --tokens x | --tokens is 'x'; allowed: off, shape, signature",
                "emulator --tokens signature | --tokens is 'signature', and there is no access key; allowed: with"
                        + " --secret-file",
                "emulator --secret a=b | unknown option '--secret'; known: --port,",
                "emulator --secret-file f | --secret-file is given, and --tokens is 'off'; allowed: only with --tokens",
                "emulator --tokens signature --secret-file no/such | --secret-file is 'no/such', which cannot be read;"
                        + " allowed:",
                "emulator --backend-password-file f | --backend-password-file is given without --backend-url; allowed:"
                        + " both",
                "emulator --backend-url postgresql://u:p@h/d | --backend-url has a password in it, which everybody on"
                        + " this",
                "flight-server now | 'now' is not expected here",
                "flight-server --port x | --port is 'x'; allowed: 0 to 65535, 0 for a free one",
                "flight-server --address localhost | --address is 'localhost'; allowed: an IP address of this machine,",
                "flight-server --address 0.0.0.0 | --address is '0.0.0.0', and there is no token; allowed: with"
                        + " --token-file,",
                "flight-server --token-file no/such | --token-file is 'no/such', which cannot be read; allowed:",
                "flight-server --rules x | --rules is 'x'; allowed: cooperative, swanlake",
                "flight-server --sessions 0 | --sessions is '0'; allowed: whole numbers from 1 up",
                "flight-server --expiry soon | --expiry is 'soon'; allowed: such as 90s or 2m, at least 1ms, at most"
                        + " 24h, or off",
                "flight-server --cancel maybe | --cancel is 'maybe'; allowed: flight-info, query, ticket, off",
                "flight-demo --connections 0 | --connections is '0'; allowed: 1 to 64",
                "flight-demo --connections 65 | --connections is '65'; allowed: 1 to 64",
                "flight-demo --queries many | --queries is 'many'; allowed: whole numbers",
                "flight-demo --query-time 1m | --query-time is '1m'; allowed: such as",
                "sim --fast | unknown option '--fast'; known: --pool, --seed, --duration, --out, --report, --json,"
                        + " --quiet, --plain, --junit",
                "sim --seed | --seed is missing its value: N",
                "sim --seed 1 --seed 2 | --seed is given twice",
                "sim --seed x | --seed is 'x'; allowed: whole numbers",
                "sim --pool x | --pool is 'x'; allowed: reservoir, go-reservoir, plain",
                "sim --pool plain,y | --pool is 'y'; allowed: reservoir, go-reservoir, plain",
                "sim --duration soon | --duration is 'soon'; allowed: such as 90s or 1h, at least 1s (sampleEvery of"
                        + " local),",
                "sim --duration 999ms | --duration is '999ms'; allowed: such as 90s or 1h, at least 1s (sampleEvery of",
                "sim --duration 721h | --duration is '721h'; allowed: such as 90s or 1h, at least 1s",
                "sim mass-drop --duration 5m | --duration is '5m'; allowed: more than 5m, when a fault of mass-drop"
                        + " begins",
                "sim scale-out-200 --duration 1s | --duration is '1s'; allowed: more than",
                "sim --duration 600h | --duration is '600h', which gives 8,640,000 samples of local; allowed: at most",
                "sim compare | nothing to compare; allowed: two scenarios or more, or one with --pool A,B",
                "sim compare local | only local to compare; allowed: two scenarios or more, or one with several pools",
                "sim sweep | no scenario to sweep; allowed: one",
                "cluster --table t status host | unknown option '--table'",
                "tables --region eu-west-1 create t1 | unknown option '--region'",
                "sim sweep local mass-drop --vary target=1 | 'mass-drop' is one scenario too many; allowed: one",
                "sim sweep local | nothing to vary; allowed: --vary KEY=VALUES, once for each setting",
                "sim sweep local --vary size=1 | --vary: unknown key 'size'; known: rate, instances, target,",
                "sim sweep local --vary target=1..200 --vary rate=1..200 | --vary gives 40,000 combinations; allowed:"
                        + " at",
                "sim sweep local --vary target=1 --pool plain,reservoir | --pool names 2 pools; allowed: one",
                "sim list all | 'all' is not expected here",
                "sim show | no name given; allowed: one of local, mass-drop,",
                "sim show local mass-drop | 'mass-drop' is one name too many; allowed: one of local,",
                "sim show nowhere | no bundled scenario is called 'nowhere'; allowed: one of local,",
                "tables | no command given; known: create, check, delete, policy",
                "tables make | unknown command 'make'; known: create, check, delete, policy",
                "tables create | no table given; allowed: --table NAME, or --permits-table and --leases-table, or the",
                "tables create ab | table is 'ab'; allowed: 3 to 255 letters, digits and _ . -",
                "tables create abc --table abc | 'abc' and an option both name tables; allowed: one of them",
                "tables check --table abc --leases-table abd | --table and --leases-table exclude each other",
                "tables check --table abc --region here | --region is 'here'; allowed: such as eu-west-1",
                "tables check --table abc --endpoint-url ftp://x | --endpoint-url is 'ftp://x'; allowed: such as http",
                "tables check --table abc --endpoint-url here | --endpoint-url is 'here'; allowed: such as http",
                "tables delete abc abd | would delete abc and abd with all that is in it; allowed: only with --yes",
                "tables policy --table abc --permits x | --permits is 'x'; allowed: reservation, window, off",
                "tables policy --table abc --leases x | --leases is 'x'; allowed: share, counter, off",
                "tables policy --table abc --permits off --leases off | no table and mode given; allowed: at least one",
                "tables policy --table abc --account 1 | account is ",
                "cluster | no command given; known: status, repair",
                "cluster status | no endpoint given; allowed: the cluster's host name",
                "cluster status a b | 'b' is one endpoint too many; allowed: one",
                "cluster status a#b --table abc | endpoint is a#b; allowed: the cluster's host name, without #",
                "cluster status a | no table given; allowed: --table NAME, or",
                "cluster status a --table a/b | --table is 'a/b'; allowed: 3 to 255 letters, digits and _ . -",
                "cluster status a --table abc --permits x | --permits is 'x'; allowed: reservation, window, off",
                "cluster status a --table abc --leases x | --leases is 'x'; allowed: share, counter, off",
                "cluster status a --table abc --leases off --permits off | permits and leases are both off; allowed:"
                        + " at",
                "cluster status a --table abc --rate x | --rate is 'x'; allowed: numbers, such as 100 or 0.5",
                "cluster status a --table abc --rate 0 | rate is 0.0; allowed: more than 0, up to 1000000",
                "cluster status a --table abc --limit many | --limit is 'many'; allowed: whole numbers",
                "cluster status a --table abc --limit 0 | limit is 0; allowed: 1 to 10000000",
                "cluster status a --table abc --lease-time soon | --lease-time is 'soon'; allowed: such as 90s or 2m",
                "cluster status a --table abc --lease-time 1s | leaseTime is 1.0 s; allowed: 3.0 s to 60 min",
                "cluster status a --table abc --watch never | --watch is 'never'; allowed: such as 90s or 2m, at least",
                "cluster status a --table abc --watch 2h | --watch is '2h'; allowed: such as 90s or 2m, at least 1s,"
                        + " at most 1h",
                "cluster repair a --table abc --set-active x --leases counter | --set-active is 'x'; allowed: whole",
                "remote | no command given; known: check, serve",
                "remote probe | unknown command 'probe'; known: check, serve",
                "remote check | no file given; allowed: one, with CREATE SERVER and CREATE USER MAPPING",
                "remote check a b | 'b' is one file too many; allowed: one",
                "remote check --fast a | unknown option '--fast'; known: --user, --json",
                "remote serve | no password for the port of psql; allowed: --password-file FILE, the variable",
                "remote serve --no-password | no file given; allowed: one, with CREATE SERVER",
                "remote serve --port x a | --port is 'x'; allowed: 0 to 65535, 0 for a free one, or off",
                "remote serve --http-port x --port off a | --http-port is 'x'; allowed: 0 to 65535, 0 for a free one,",
                "remote serve --port off --address 127.0.0.1 a | --address is '127.0.0.1', but --port is 'off'; allowed:",
                "remote serve --no-password --address host a | --address is 'host'; allowed: an IP address of this",
                "remote serve --no-password --address 0.0.0.0 a | --no-password is given, and --address is '0.0.0.0';",
                "remote serve --no-password --password-file f a | --no-password and --password-file exclude each other",
                "remote serve --password-file no/such a | --password-file is 'no/such', which cannot be read; allowed:",
                "remote serve --no-password --drain x a | --drain is 'x'; allowed: such as 90s or 2m, at least",
                "remote serve --no-password --drain 2h a | --drain is '2h'; allowed: such as 90s or 2m, at least",
                "cluster repair a --table abc --set-active 5 | --set-active is '5'; allowed: only with --leases counter"
            })
    void aWrongCallEndsWithTwoAndSaysWhatIsWrong(String line, String message) {
        assertThat(shell.run(line.split(" "))).as(shell.err()).isEqualTo(2);

        assertThat(shell.err())
                .startsWith("reservoir: " + message)
                .contains("\nusage: reservoir ", "\nMore: reservoir");
        assertThat(shell.out()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "-h", "help"})
    void helpIsNoError(String argument) {
        assertThat(shell.run(argument)).isZero();

        assertThat(shell.out())
                .startsWith("usage: reservoir COMMAND [OPTIONS]")
                .contains(
                        "demo           Shows Reservoir and HikariCP at work",
                        "emulator       Emulates an Aurora DSQL cluster",
                        "sim            Simulates a fleet",
                        "tables         Creates, checks and deletes",
                        "cluster        Shows and repairs",
                        "remote         Checks or runs a registry",
                        "flight-server  Runs a Flight SQL server",
                        "flight-demo    Shows one shared Flight SQL client");
        assertThat(shell.err()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "demo | usage: reservoir demo [OPTIONS]",
                "emulator | usage: reservoir emulator [OPTIONS]",
                "sim | usage: reservoir sim [run] [OPTIONS] [FILE|NAME ...]",
                "sim run | usage: reservoir sim [run] [OPTIONS] [FILE|NAME ...]",
                "sim compare | usage: reservoir sim compare [OPTIONS] FILE|NAME FILE|NAME ...",
                "sim sweep | usage: reservoir sim sweep [OPTIONS] FILE|NAME --vary KEY=VALUES",
                "sim fuzz | usage: reservoir sim fuzz",
                "sim list | usage: reservoir sim list",
                "sim show | usage: reservoir sim show NAME",
                "tables | usage: reservoir tables create|check|delete|policy [OPTIONS]",
                "tables create | usage: reservoir tables create [OPTIONS] [NAME ...]",
                "tables check | usage: reservoir tables check [OPTIONS] [NAME ...]",
                "tables delete | usage: reservoir tables delete [OPTIONS] --yes [NAME ...]",
                "tables policy | usage: reservoir tables policy [OPTIONS]",
                "cluster | usage: reservoir cluster status|repair [OPTIONS] ENDPOINT",
                "cluster status | usage: reservoir cluster status [OPTIONS] ENDPOINT",
                "cluster repair | usage: reservoir cluster repair [OPTIONS] ENDPOINT",
                "remote | usage: reservoir remote check|serve [OPTIONS] FILE",
                "remote check | usage: reservoir remote check [OPTIONS] FILE",
                "remote serve | usage: reservoir remote serve [OPTIONS] FILE"
            })
    void everyCommandHasItsHelp(String command, String usage) {
        for (String line : new String[] {command + " --help", command + " -h", "help " + command}) {
            Shell asked = Shell.piped();

            assertThat(asked.run(line.split(" "))).isZero();
            assertThat(asked.out()).startsWith(usage).contains("-h, --help");
            assertThat(asked.err()).isEmpty();
        }
    }

    @Test
    void helpNamesEveryKeyThatCanBeVaried() {
        shell.run("sim", "sweep", "--help");

        String words = shell.out().replaceAll("\\s+", " ");
        assertThat(words)
                .contains("Keys: target, maxOpen, burst, rate, instances, jitter, lifetime, guard, handshake, cap,"
                        + " inUse, load.");
    }

    @Test
    void helpHasNoLineWiderThanItsPage() {
        for (String command : new String[] {"run", "compare", "sweep", "fuzz", "list", "show"}) {
            shell.run("sim", command, "--help");
        }
        for (String command : new String[] {"create", "check", "delete", "policy"}) {
            shell.run("tables", command, "--help");
        }
        for (String line : new String[] {"demo", "emulator", "tables", "cluster", "cluster status", "cluster repair"}) {
            shell.run((line + " --help").split(" "));
        }

        assertThat(shell.out().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(110));
    }
}
