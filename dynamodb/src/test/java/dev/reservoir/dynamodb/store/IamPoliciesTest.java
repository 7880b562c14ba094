package dev.reservoir.dynamodb.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.reservoir.cluster.LeaseMode;
import dev.reservoir.cluster.PermitMode;
import dev.reservoir.dynamodb.store.IamPolicies.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class IamPoliciesTest {
    private static final String[] MEMBERSHIP = {
        "dynamodb:BatchGetItem",
        "dynamodb:ConditionCheckItem",
        "dynamodb:DeleteItem",
        "dynamodb:GetItem",
        "dynamodb:PutItem",
        "dynamodb:UpdateItem"
    };

    private final Scope two = new Scope("permits", "leases", "eu-west-1", "123456789012");

    @Test
    void reservationBesideLeasesReadsAndUpdates() {
        List<JsonNode> statements = statements(IamPolicies.forProcesses(two, PermitMode.RESERVATION, LeaseMode.SHARE));

        assertThat(statements).hasSize(2);
        assertThat(texts(statements.get(0), "Action")).containsExactly("dynamodb:GetItem", "dynamodb:UpdateItem");
        assertThat(texts(statements.get(0), "Resource"))
                .containsExactly("arn:aws:dynamodb:eu-west-1:123456789012:table/permits");
        assertThat(texts(statements.get(1), "Action")).containsExactly(MEMBERSHIP);
        assertThat(texts(statements.get(1), "Resource"))
                .containsExactly("arn:aws:dynamodb:eu-west-1:123456789012:table/leases");
        assertThat(statements)
                .allMatch(statement -> statement.get("Effect").asText().equals("Allow"));
    }

    @Test
    void reservationAloneListsItsMembersToo() {
        List<JsonNode> statements = statements(
                IamPolicies.forProcesses(new Scope("permits", null, null, null), PermitMode.RESERVATION, null));

        assertThat(statements).hasSize(1);
        assertThat(texts(statements.get(0), "Action")).containsExactly(MEMBERSHIP);
        assertThat(texts(statements.get(0), "Resource")).containsExactly("arn:aws:dynamodb:*:*:table/permits");
    }

    @Test
    void windowAloneReadsAndUpdates() {
        List<JsonNode> statements = statements(IamPolicies.forProcesses(two, PermitMode.WINDOW, null));

        assertThat(statements).hasSize(1);
        assertThat(texts(statements.get(0), "Action")).containsExactly("dynamodb:GetItem", "dynamodb:UpdateItem");
    }

    @Test
    void oneTableForAllHasOneStatement() {
        Scope one = new Scope("budget", "budget", "cn-north-1", null);

        List<JsonNode> statements = statements(IamPolicies.forProcesses(one, PermitMode.WINDOW, LeaseMode.COUNTER));

        assertThat(statements).hasSize(1);
        assertThat(texts(statements.get(0), "Action")).containsExactly(MEMBERSHIP);
        assertThat(texts(statements.get(0), "Resource"))
                .containsExactly("arn:aws-cn:dynamodb:cn-north-1:*:table/budget");
    }

    @Test
    void operatorsMayMakeAndRepairBoth() {
        List<JsonNode> statements = statements(IamPolicies.forOperators(two));

        assertThat(statements).hasSize(1);
        assertThat(texts(statements.get(0), "Resource")).hasSize(2);
        assertThat(texts(statements.get(0), "Action"))
                .containsExactly(
                        "dynamodb:BatchGetItem",
                        "dynamodb:ConditionCheckItem",
                        "dynamodb:CreateTable",
                        "dynamodb:DeleteItem",
                        "dynamodb:DeleteTable",
                        "dynamodb:DescribeTable",
                        "dynamodb:DescribeTimeToLive",
                        "dynamodb:GetItem",
                        "dynamodb:Scan",
                        "dynamodb:UpdateItem",
                        "dynamodb:UpdateTimeToLive");
    }

    @Test
    void withoutATableAndItsModeThereIsNoPolicy() {
        assertThatThrownBy(() -> IamPolicies.forProcesses(two, null, null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at least one table with a mode");
    }

    @Test
    void whatIsNoNameIsRefused() {
        for (Map.Entry<String, Runnable> bad : Map.<String, Runnable>of(
                        "permitTable", () -> new Scope("a\"b", null, null, null),
                        "leaseTable", () -> new Scope(null, "x", null, null),
                        "region", () -> new Scope("permits", null, "Ireland", null),
                        "account", () -> new Scope("permits", null, null, "12"))
                .entrySet()) {
            assertThatThrownBy(() -> bad.getValue().run())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith(bad.getKey() + " is ");
        }
    }

    private static List<JsonNode> statements(String policy) {
        try {
            JsonNode root = new ObjectMapper().readTree(policy);
            assertThat(root.get("Version").asText()).isEqualTo("2012-10-17");
            List<JsonNode> statements = new ArrayList<>();
            root.get("Statement").forEach(statements::add);
            return statements;
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(policy, e);
        }
    }

    private static List<String> texts(JsonNode statement, String field) {
        List<String> texts = new ArrayList<>();
        statement.get(field).forEach(text -> texts.add(text.asText()));
        return texts;
    }
}
