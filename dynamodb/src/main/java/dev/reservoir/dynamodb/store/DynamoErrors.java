package dev.reservoir.dynamodb.store;

import dev.reservoir.cluster.store.StoreException;
import dev.reservoir.cluster.store.StoreException.Kind;
import dev.reservoir.core.util.Causes;
import dev.reservoir.core.util.Text;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.ApiCallAttemptTimeoutException;
import software.amazon.awssdk.core.exception.ApiCallTimeoutException;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/**
 * Interprets errors of DynamoDB and of the connection to it. DynamoDB's message is passed on only if it cannot quote
 * the request, because the request's headers contain the session token.
 *
 * @param where the region or endpoint of the table, for messages
 */
record DynamoErrors(String table, String where) {
    static final String CONDITION_FAILED = "ConditionalCheckFailed";
    private static final String NO_REASON = "None";

    private static final Set<String> CONFLICTS = Set.of(
            "TransactionConflictException", "TransactionInProgressException", "ReplicatedWriteConflictException");
    private static final Set<String> THROTTLING_REASONS = Set.of("ThrottlingError", "ProvisionedThroughputExceeded");
    private static final Set<String> QUOTABLE = Set.of("AccessDeniedException", "ValidationException");
    private static final Set<String> BAD_CREDENTIALS = Set.of(
            "UnrecognizedClientException",
            "ExpiredTokenException",
            "ExpiredToken",
            "InvalidClientTokenId",
            "InvalidSignatureException",
            "SignatureDoesNotMatch",
            "IncompleteSignature",
            "IncompleteSignatureException",
            "MissingAuthenticationToken",
            "MissingAuthenticationTokenException");

    /** Error codes for a request whose time is wrong. Some of them have other causes as well. */
    private static final Set<String> ABOUT_TIME = Set.of(
            "InvalidSignatureException",
            "SignatureDoesNotMatch",
            "RequestTimeTooSkewed",
            "RequestExpired",
            "RequestInTheFuture");

    /** A clock that is off by less causes no refusal. DynamoDB accepts 5 minutes; this leaves a margin. */
    private static final long CLOCK_OFF_SECONDS = 240;

    /** Returns what an error of this call means. */
    StoreException of(String action, Throwable error) {
        Throwable real = unwrapped(error);
        if (real instanceof StoreException known) {
            return known;
        }
        if (real instanceof TransactionCanceledException cancelled) {
            return ofCancelled(action, cancelled);
        }
        if (real instanceof AwsServiceException answered) {
            return ofAnswered(action, answered);
        }
        if (real instanceof RejectedExecutionException) {
            return make(Kind.THROTTLED, action, "not sent: too many calls wait, or the client is closed");
        }
        if (isTimeout(real)) {
            return make(Kind.UNAVAILABLE, action, "no answer within " + DynamoClient.CALL_TIMEOUT.toSeconds() + " s");
        }
        if (real instanceof SdkClientException
                && String.valueOf(real.getMessage()).toLowerCase(Locale.ROOT).contains("credentials")) {
            return make(
                    Kind.REFUSED,
                    action,
                    "found no AWS credentials; give this process a role, a profile or the AWS_* variables");
        }
        return make(Kind.UNAVAILABLE, action, "no answer: " + Text.oneLine(Causes.root(real)), -1, real);
    }

    /** Whether a transaction was cancelled only because conditions did not hold. */
    static boolean isOnlyConditions(TransactionCanceledException cancelled) {
        List<String> codes = codes(cancelled);
        return codes.contains(CONDITION_FAILED)
                && codes.stream().allMatch(code -> code.equals(CONDITION_FAILED) || code.equals(NO_REASON));
    }

    /** Returns DynamoDB's clock when it answered, in seconds since 1970, or -1 if the answer does not say. */
    static long seconds(@Nullable SdkHttpResponse response) {
        if (response == null) {
            return -1;
        }
        String date = response.firstMatchingHeader("Date").orElse("");
        try {
            return Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(date))
                    .getEpochSecond();
        } catch (DateTimeException missingOrNoDate) {
            return -1;
        }
    }

    static long seconds(AwsServiceException error) {
        AwsErrorDetails details = error.awsErrorDetails();
        return details == null ? -1 : seconds(details.sdkHttpResponse());
    }

    /** Whether a call was refused because this machine's clock is far from DynamoDB's clock. */
    static boolean isForTheClock(Throwable error) {
        if (!(unwrapped(error) instanceof AwsServiceException answered)) {
            return false;
        }
        long seconds = seconds(answered);
        return ABOUT_TIME.contains(code(answered))
                && seconds >= 0
                && Math.abs(seconds - Instant.now().getEpochSecond()) >= CLOCK_OFF_SECONDS;
    }

    private static String code(AwsServiceException error) {
        AwsErrorDetails details = error.awsErrorDetails();
        return details == null || details.errorCode() == null ? "" : details.errorCode();
    }

    static Throwable unwrapped(Throwable error) {
        Throwable real = error;
        while ((real instanceof CompletionException || real instanceof ExecutionException) && real.getCause() != null) {
            real = real.getCause();
        }
        return real;
    }

    private StoreException ofCancelled(String action, TransactionCanceledException cancelled) {
        List<String> codes = codes(cancelled);
        long seconds = seconds(cancelled);
        boolean known = codes.stream()
                .allMatch(code -> code.equals(NO_REASON)
                        || code.equals(CONDITION_FAILED)
                        || code.equals("TransactionConflict")
                        || THROTTLING_REASONS.contains(code));
        if (!known || codes.isEmpty()) {
            String reasons = cancelled.cancellationReasons().stream()
                    .filter(reason -> reason.message() != null)
                    .map(reason -> reason.code() + ": " + reason.message())
                    .distinct()
                    .collect(Collectors.joining("; "));
            return make(Kind.REFUSED, action, "transaction cancelled: " + reasons, seconds);
        }
        if (codes.stream().anyMatch(THROTTLING_REASONS::contains)) {
            return make(Kind.THROTTLED, action, "throttled; nothing was done", seconds);
        }
        return make(Kind.CONFLICT, action, "another transaction has the same items; nothing was done", seconds);
    }

    private static List<String> codes(TransactionCanceledException cancelled) {
        return cancelled.cancellationReasons().stream()
                .map(CancellationReason::code)
                .map(String::valueOf)
                .toList();
    }

    private StoreException ofAnswered(String action, AwsServiceException error) {
        AwsErrorDetails details = error.awsErrorDetails();
        String code = code(error);
        long seconds = seconds(error);
        if (CONFLICTS.contains(code)) {
            return make(Kind.CONFLICT, action, code + ": another call has the same items", seconds);
        }
        if (error.isThrottlingException()) {
            return make(Kind.THROTTLED, action, code + ": throttled; nothing was done", seconds);
        }
        if (error.statusCode() >= 500 || error.statusCode() == 408 || code.isEmpty()) {
            return make(Kind.UNAVAILABLE, action, "answered with HTTP " + error.statusCode() + " " + code, seconds);
        }
        String said = details != null && QUOTABLE.contains(code) ? ": " + details.errorMessage() : "";
        return make(Kind.REFUSED, action, code + said + advice(code), seconds);
    }

    private String advice(String code) {
        if (code.equals("ResourceNotFoundException")) {
            return ": there is no such table; create it with: reservoir tables create " + table;
        }
        if (code.equals("AccessDeniedException")) {
            return "; allow it to the role of this process: reservoir tables policy prints what it needs";
        }
        if (code.equals("IdempotentParameterMismatchException")) {
            return ": the same token was used for other writes";
        }
        return BAD_CREDENTIALS.contains(code)
                ? ": the AWS credentials of this process are not accepted; renew them"
                : "";
    }

    private StoreException make(Kind kind, String action, String what) {
        return make(kind, action, what, -1, null);
    }

    private StoreException make(Kind kind, String action, String what, long seconds) {
        return make(kind, action, what, seconds, null);
    }

    private StoreException make(Kind kind, String action, String what, long seconds, @Nullable Throwable cause) {
        return new StoreException(
                kind, "DynamoDB table " + table + " (" + where + "), " + action + ": " + what.strip(), seconds, cause);
    }

    private static boolean isTimeout(Throwable error) {
        return error instanceof TimeoutException
                || error instanceof ApiCallTimeoutException
                || error instanceof ApiCallAttemptTimeoutException;
    }
}
