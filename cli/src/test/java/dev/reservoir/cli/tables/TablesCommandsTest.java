package dev.reservoir.cli.tables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.cli.LocalBudget;
import dev.reservoir.cli.Shell;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Creates, checks and deletes tables of DynamoDB Local from a shell. */
class TablesCommandsTest {
    private static LocalBudget budget;

    private final Shell shell = Shell.piped();

    @BeforeAll
    static void start() {
        budget = new LocalBudget();
    }

    @AfterAll
    static void stop() {
        budget.close();
    }

    private String says(int code, String line) {
        Shell one = Shell.piped();
        assertThat(one.run(budget.words(line))).as(one.out() + one.err()).isEqualTo(code);
        assertThat(one.err()).isEmpty();
        return one.out();
    }

    @Test
    void aTableIsMadeOnceAndIsThenAsItShouldBe() {
        assertThat(says(0, "tables create --table made")).isEqualTo("""
            created table made
            turned on deletion of old items by ttl_epoch in table made
            """);
        assertThat(says(0, "tables create --table made")).isEqualTo("table made exists, nothing to do\n");
        assertThat(says(0, "tables check made")).isEqualTo("  ok  table made is set up correctly\n\nOK\n");
    }

    @Test
    void aTableThatIsNotThereFailsTheCheckAndSaysHowToMakeIt() {
        assertThat(says(1, "tables check missing"))
                .startsWith("  wrong  table missing does not exist in http://127.0.0.1:")
                .contains("create it with: reservoir tables create missing")
                .endsWith("\nFAIL\n");
    }

    @Test
    void permitsAndLeasesMayHaveTablesOfTheirOwn() {
        says(0, "tables create --permits-table some-permits --leases-table some-leases");

        assertThat(says(0, "tables check --permits-table some-permits --leases-table some-leases"))
                .isEqualTo("""
                      ok  table some-permits is set up correctly
                      ok  table some-leases is set up correctly

                    OK
                    """);
    }

    @Test
    void namesComeFromTheEnvironmentWhereNoneAreGiven() {
        shell.with("DSQL_DISTRIBUTED_RATE_LIMITER_TABLE", "from-variable")
                .with("DSQL_DISTRIBUTED_CONN_LEASE_TABLE", "from-variable");

        assertThat(shell.run(budget.words("tables create"))).isZero();

        assertThat(shell.out()).startsWith("created table from-variable\n");
    }

    @Test
    void nothingIsDeletedWithoutYes() {
        says(0, "tables create kept");

        assertThat(shell.run(budget.words("tables delete kept"))).isEqualTo(2);

        assertThat(shell.err())
                .startsWith("reservoir: would delete kept with all that is in it; allowed: only with --yes\n");
        assertThat(says(0, "tables check kept")).endsWith("OK\n");
    }

    @Test
    void aTableIsDeletedOnce() {
        says(0, "tables create short-lived");

        assertThat(says(0, "tables delete short-lived --yes")).isEqualTo("deleted table short-lived\n");
        assertThat(says(0, "tables delete short-lived --yes")).isEqualTo("table short-lived did not exist\n");
    }

    @Test
    void aPolicyPermitsWhatTheModesNeedAndNothingElse() {
        assertThat(shell.run("tables policy --table reservoir --region eu-west-1 --account 123456789012".split(" ")))
                .isZero();

        assertThat(shell.out()).isEqualTo("""
            {
              "Version": "2012-10-17",
              "Statement": [
                {
                  "Effect": "Allow",
                  "Action": [
                    "dynamodb:BatchGetItem",
                    "dynamodb:ConditionCheckItem",
                    "dynamodb:DeleteItem",
                    "dynamodb:GetItem",
                    "dynamodb:PutItem",
                    "dynamodb:UpdateItem"
                  ],
                  "Resource": [
                    "arn:aws:dynamodb:eu-west-1:123456789012:table/reservoir"
                  ]
                }
              ]
            }
            """);
    }

    @Test
    void aPolicyForWindowsNeedsLessAndOneForOperatorsMore() {
        Shell operator = Shell.piped();
        shell.run("tables policy --permits-table permits --permits window".split(" "));
        operator.run("tables policy --permits-table permits --permits window --operator".split(" "));

        assertThat(shell.out()).contains("arn:aws:dynamodb:*:*:table/permits").doesNotContain("DeleteItem", "Table");
        assertThat(operator.out()).contains("dynamodb:CreateTable", "dynamodb:Scan", "dynamodb:DeleteTable");
    }

    @Test
    void withoutAWayToDynamoDbOneLineSaysWhatToLookAt() {
        String[] nowhere = "tables check some --endpoint-url http://127.0.0.1:1".split(" ");

        assertThat(shell.run(nowhere)).isEqualTo(1);

        assertThat(shell.err())
                .startsWith("reservoir: DynamoDB table some (http://127.0.0.1:1), DescribeTable: no answer")
                .endsWith("; is this the way to DynamoDB? See --region and --endpoint-url\n")
                .hasLineCount(1);
        assertThat(shell.out()).isEmpty();
    }

    @Test
    void theRegionIsTheOneThatTheLibraryWouldTake() {
        String[] policy = "tables policy --table reservoir --account 123456789012".split(" ");
        Shell shell = Shell.piped().with("REGION", "eu-west-2");
        shell.run(policy);
        assertThat(shell.out()).contains("arn:aws:dynamodb:eu-west-2:123456789012:table/reservoir");
        Shell both = Shell.piped().with("REGION", "eu-west-2").with("AWS_REGION", "eu-west-3");
        both.run(policy);
        assertThat(both.out()).contains("arn:aws:dynamodb:eu-west-3:123456789012:table/reservoir");
    }
}
