package dev.reservoir.dynamodb.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Condition;
import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.cluster.store.StoreException.Kind;
import dev.reservoir.cluster.store.Write;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.exception.SdkClientException;

/** What each error of DynamoDB and of the way there comes out as. */
class DynamoStoreErrorsTest {
    private static final Write WRITE = Write.update("a", List.of(Change.add("count", 1)));
    private static final List<Write> TWO =
            List.of(Write.update("a", List.of(Change.add("count", 1)), Condition.less("count", 5)), Write.delete("b"));

    private final FakeDynamo dynamo = new FakeDynamo();
    private final DynamoClient client = dynamo.client();
    private final DynamoStore store = new DynamoStore(client, "budget", Runnable::run);

    @AfterEach
    void close() {
        client.close();
        dynamo.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded"})
    void throttlingIsThrottled(String code) {
        dynamo.fails(400, code, "slower", "Date: " + FakeDynamo.DATE);

        StoreException error = failed(on -> on.write(WRITE));

        assertThat(error.kind()).isEqualTo(Kind.THROTTLED);
        assertThat(error.storeSeconds()).isEqualTo(FakeDynamo.DATE_SECONDS);
        assertThat(store.counts().throttled()).isEqualTo(1);
        assertThat(store.counts().errors()).isEqualTo(1);
        assertThat(store.counts().itemsWritten()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"TransactionConflictException", "TransactionInProgressException"})
    void meetingAnotherTransactionIsAConflict(String code) {
        dynamo.fails(400, code, "busy");

        StoreException error = failed(on -> on.transact(TWO, "token"));

        assertThat(error.kind()).isEqualTo(Kind.CONFLICT);
        assertThat(error.kind().mayBeDone()).isFalse();
        assertThat(store.counts().conflicts()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({
        "TransactionConflict, None, CONFLICT",
        "ConditionalCheckFailed, TransactionConflict, CONFLICT",
        "ThrottlingError, None, THROTTLED",
        "ProvisionedThroughputExceeded, TransactionConflict, THROTTLED",
        "ConditionalCheckFailed, ThrottlingError, THROTTLED",
        "ValidationError, None, REFUSED",
        "ConditionalCheckFailed, ValidationError, REFUSED",
        "ItemCollectionSizeLimitExceeded, None, REFUSED"
    })
    void aTransactionIsCancelledForReasons(String first, String second, Kind kind) {
        dynamo.cancels(first, second);

        StoreException error = failed(on -> on.transact(TWO, "token"));

        assertThat(error.kind()).isEqualTo(kind);
        assertThat(error.storeSeconds()).isEqualTo(FakeDynamo.DATE_SECONDS);
    }

    @Test
    void conditionsThatDoNotHoldAreAnAnswer() {
        dynamo.cancels("ConditionalCheckFailed", "None");

        Answer answer = Local.wait(store.transact(TWO, "token"));

        assertThat(answer.applied()).isFalse();
        assertThat(answer.refused()).containsExactly(0);
        assertThat(answer.items()).containsExactly(null, null);
        assertThat(answer.storeSeconds()).isEqualTo(FakeDynamo.DATE_SECONDS);
        assertThat(store.counts().errors()).isZero();
        assertThat(store.counts().itemsWritten()).isEqualTo(2);
        assertThat(store.counts().writeUnits()).isEqualTo(4);
    }

    @ParameterizedTest
    @CsvSource({"500, InternalServerError", "503, ServiceUnavailable"})
    void errorsOfTheServerSayNothing(int status, String code) {
        dynamo.fails(status, code, "sorry", "Date: " + FakeDynamo.DATE);

        StoreException error = failed(on -> on.write(WRITE));

        assertThat(error.kind()).isEqualTo(Kind.UNAVAILABLE);
        assertThat(error.kind().mayBeDone()).isTrue();
        assertThat(error).hasMessageContaining("HTTP " + status);
        assertThat(error.storeSeconds()).isEqualTo(FakeDynamo.DATE_SECONDS);
    }

    @ParameterizedTest
    @ValueSource(ints = {403, 404, 502})
    void pagesOfAProxySayNothing(int status) {
        dynamo.answers(status, "<html>go away</html>");

        assertThat(failed(on -> on.write(WRITE)).kind()).isEqualTo(Kind.UNAVAILABLE);
    }

    @Test
    void anAnswerThatIsNoneSaysNothing() {
        dynamo.answers(200, "{\"Attributes\":{\"pk\"");

        assertThat(failed(on -> on.write(WRITE)).kind()).isEqualTo(Kind.UNAVAILABLE);
    }

    @Test
    void aServerThatHangsUpSaysNothing() {
        dynamo.hangsUp();

        StoreException error = failed(on -> on.write(WRITE));

        assertThat(error.kind()).isEqualTo(Kind.UNAVAILABLE);
        assertThat(error.storeSeconds()).isEqualTo(-1);
        assertThat(dynamo.requests()).hasSize(1);
    }

    @Test
    void aServerThatHangsIsGivenUpAfterFiveSeconds() {
        dynamo.hangs();
        long start = System.nanoTime();

        StoreException error = failed(on -> on.write(WRITE));

        assertThat(error.kind()).isEqualTo(Kind.UNAVAILABLE);
        assertThat(error).hasMessageContaining("no answer within 5 s");
        assertThat(System.nanoTime() - start).isGreaterThan(4_500_000_000L);
        assertThat(dynamo.requests()).hasSize(1);
    }

    @Test
    void whereNobodyListensThereIsNoAnswer() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        try (DynamoClient nowhere = DynamoClient.shared(null, URI.create("http://127.0.0.1:" + port))) {
            DynamoStore away = new DynamoStore(nowhere, "budget", Runnable::run);

            StoreException error = failed(away, on -> on.write(WRITE));

            assertThat(error.kind()).isEqualTo(Kind.UNAVAILABLE);
            assertThat(error).hasMessageContaining("127.0.0.1:" + port);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "AccessDeniedException, 'reservoir tables policy'",
        "ResourceNotFoundException, 'reservoir tables create budget'",
        "ValidationException, 'said by DynamoDB'",
        "IdempotentParameterMismatchException, 'other writes'",
        "UnrecognizedClientException, 'credentials'",
        "ExpiredTokenException, 'credentials'",
        "SomethingNewException, 'SomethingNewException'"
    })
    void whatIsRefusedSaysWhatToDo(String code, String hint) {
        dynamo.fails(400, code, "said by DynamoDB", "Date: " + FakeDynamo.DATE);

        StoreException error = failed(on -> on.write(WRITE));

        assertThat(error.kind()).isEqualTo(Kind.REFUSED);
        assertThat(error)
                .hasMessageContaining("table budget")
                .hasMessageContaining("UpdateItem")
                .hasMessageContaining(hint);
        assertThat(error.storeSeconds()).isEqualTo(FakeDynamo.DATE_SECONDS);
        assertThat(store.counts().errors()).isEqualTo(1);
    }

    @Test
    void whatQuotesTheRequestIsNotPassedOn() {
        dynamo.fails(400, "InvalidSignatureException", "The canonical string was x-amz-security-token:SECRET");

        StoreException error = failed(on -> on.write(WRITE));

        assertThat(error.kind()).isEqualTo(Kind.REFUSED);
        assertThat(error).hasMessageNotContaining("SECRET").hasNoCause();
    }

    @Test
    void withoutCredentialsNothingIsSent() {
        assumeThat(System.getenv("AWS_ACCESS_KEY_ID")).isNull();
        assumeThat(System.getenv("AWS_CONTAINER_CREDENTIALS_FULL_URI")).isNull();
        assumeThat(System.getenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI")).isNull();
        System.setProperty("aws.disableEc2Metadata", "true");
        System.setProperty("aws.sharedCredentialsFile", "target/no-such-file");
        System.setProperty("aws.configFile", "target/no-such-file");
        try (DynamoClient other = DynamoClient.shared("eu-west-1", URI.create("https://127.0.0.1:1"))) {
            StoreException error = failed(new DynamoStore(other, "budget", Runnable::run), on -> on.write(WRITE));

            assertThat(error.kind()).isEqualTo(Kind.REFUSED);
            assertThat(error).hasMessageContaining("no AWS credentials").hasNoCause();
        } finally {
            System.clearProperty("aws.disableEc2Metadata");
            System.clearProperty("aws.sharedCredentialsFile");
            System.clearProperty("aws.configFile");
        }
    }

    @Test
    void anErrorOnTheWayThatMentionsCredentialsIsARefusal() {
        DynamoErrors errors = new DynamoErrors("budget", "eu-west-1");

        StoreException error = errors.of(
                "GetItem", SdkClientException.create("Unable to load credentials from any of the providers: SECRET"));

        assertThat(error.kind()).isEqualTo(Kind.REFUSED);
        assertThat(error).hasMessageNotContaining("SECRET").hasNoCause();
    }

    @Test
    void afterARefusalForTheClockItIsSentOnceMoreWithTheRightTime() {
        dynamo.fails(400, "InvalidSignatureException", "Signature expired", "Date: Sun, 01 Jan 2040 00:00:00 GMT")
                .answers(200, "{\"Attributes\":{\"pk\":{\"S\":\"a\"},\"count\":{\"N\":\"3\"}}}");

        Answer answer = Local.wait(store.write(WRITE));

        assertThat(answer.applied()).isTrue();
        assertThat(dynamo.requests()).hasSize(2);
        assertThat(dynamo.requests().get(0).headers().get("x-amz-date")).doesNotMatch("20(40|39).*");
        assertThat(dynamo.requests().get(1).headers().get("x-amz-date")).matches("20(40|39).*");
        assertThat(store.counts().calls()).isEqualTo(2);
    }

    @Test
    void aRefusalForTheClockIsNotTriedAThirdTime() {
        dynamo.fails(400, "InvalidSignatureException", "Signature expired", "Date: Thu, 01 Jan 2032 00:00:00 GMT");

        assertThat(failed(on -> on.write(WRITE)).kind()).isEqualTo(Kind.REFUSED);
        assertThat(dynamo.requests()).hasSize(2);
    }

    @Test
    void nothingElseIsTriedTwice() {
        dynamo.fails(400, "ThrottlingException", "slower");

        failed(on -> on.read(List.of("a"), true));
        failed(on -> on.write(WRITE));
        failed(on -> on.transact(TWO, "token"));
        failed(on -> on.list("a", null));

        assertThat(dynamo.requests().stream().map(FakeDynamo.Request::action))
                .containsExactly("GetItem", "UpdateItem", "TransactWriteItems", "Scan");
    }

    private <T> StoreException failed(Function<DynamoStore, CompletionStage<T>> call) {
        return failed(store, call);
    }

    private static <T> StoreException failed(DynamoStore on, Function<DynamoStore, CompletionStage<T>> call) {
        StoreException error = catchThrowableOfType(StoreException.class, () -> Local.wait(call.apply(on)));
        assertThat(error).isNotNull();
        return error;
    }
}
