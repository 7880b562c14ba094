package dev.reservoir.dynamodb.store;

import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.client.config.SdkAdvancedAsyncClientOption;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.http.nio.netty.SdkEventLoopGroup;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.providers.DefaultAwsRegionProviderChain;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/**
 * The client for the DynamoDB of one region. All users in a process that ask for the same region and endpoint share one
 * SDK client with a few daemon threads. The last one to close it ends the client. The SDK never retries: the caller
 * knows better what a second attempt means.
 *
 * <p>Credentials come from the SDK's default chain. An endpoint without TLS, which is DynamoDB Local, gets made-up
 * credentials and never real ones.
 */
public final class DynamoClient implements AutoCloseable {
    /** Time after which a call that is not answered is given up. */
    static final Duration CALL_TIMEOUT = Duration.ofSeconds(5);

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration IDLE = Duration.ofSeconds(45);
    private static final int CONNECTIONS_MAX = 32;
    private static final int PENDING_MAX = 2_000;

    /** Quiet time before the I/O threads end, because connections close on them. */
    private static final long QUIET_MILLIS = 200;

    private static final long CLOSING_MILLIS = 1_000;
    private static final int IO_THREADS = 2;
    private static final int CALL_THREADS = 2;
    private static final String REGION_OF_LOCAL = "us-east-1";

    private static final SharedInstances<Key, Parts> ALL = new SharedInstances<>(Parts::close);

    private final SharedInstances<Key, Parts>.Handle handle;
    private final Parts parts;

    private DynamoClient(SharedInstances<Key, Parts>.Handle handle) {
        this.handle = handle;
        this.parts = handle.value();
    }

    /**
     * Returns the client for this region and endpoint. The first caller blocks for up to a few seconds while the AWS
     * SDK is loaded. If no region is given, this includes the search of the SDK for one.
     *
     * @param region such as {@code eu-west-1}; null for the one that the SDK finds in the environment
     * @param endpoint replaces the endpoint of the region, for DynamoDB Local and for gateways; null for the default
     */
    public static DynamoClient shared(@Nullable String region, @Nullable URI endpoint) {
        if (endpoint != null && endpoint.getRawUserInfo() != null) {
            // The endpoint is not quoted, because it may contain a password and would appear in every message.
            throw new IllegalArgumentException("endpoint has a user or a password in it; allowed: a URL without,"
                    + " such as http://localhost:8000");
        }
        Key key = new Key(regionOr(region, endpoint), endpoint);
        return new DynamoClient(ALL.acquire(key, () -> new Parts(key), same -> {}));
    }

    /** Returns the SDK's client, which the caller must not close. Its methods may block for credentials. */
    public DynamoDbAsyncClient sdk() {
        return parts.sdk;
    }

    /** The executor on which calls start, because that can block. It rejects tasks when too many wait. */
    Executor calls() {
        return parts.calls;
    }

    /** The executor for delays. Its tasks are short and do not block. It rejects tasks once the client is closed. */
    ScheduledExecutorService timer() {
        return parts.timer;
    }

    /** The region or the endpoint, for messages. */
    String where() {
        return parts.where;
    }

    /** Closes this handle. The last one to close it blocks for up to a second. */
    @Override
    public void close() {
        handle.close();
    }

    private static String regionOr(@Nullable String given, @Nullable URI endpoint) {
        if (given != null && !given.isBlank()) {
            return given.strip();
        }
        if (isPlain(endpoint)) {
            return REGION_OF_LOCAL;
        }
        try {
            return DefaultAwsRegionProviderChain.builder().build().getRegion().id();
        } catch (SdkClientException none) {
            throw new IllegalArgumentException(
                    "region is not set, and the AWS SDK finds none; allowed: a region such as eu-west-1, given here,"
                            + " in AWS_REGION or in the AWS profile");
        }
    }

    /** Whether the connection to this endpoint is not encrypted. */
    private static boolean isPlain(@Nullable URI endpoint) {
        return endpoint != null
                && "http".equals(String.valueOf(endpoint.getScheme()).toLowerCase(Locale.ROOT));
    }

    private record Key(String region, @Nullable URI endpoint) {}

    /** The parts of a client. */
    private static final class Parts {
        final String where;
        final DynamoDbAsyncClient sdk;
        final ThreadPoolExecutor calls;
        final ScheduledThreadPoolExecutor timer;
        final SdkEventLoopGroup io;

        Parts(Key key) {
            where = key.endpoint == null ? key.region : key.endpoint.toString();
            calls = new ThreadPoolExecutor(
                    CALL_THREADS,
                    CALL_THREADS,
                    30,
                    TimeUnit.SECONDS,
                    new LinkedBlockingQueue<>(PENDING_MAX),
                    daemons("reservoir-dynamodb-call"));
            calls.allowCoreThreadTimeOut(true);
            timer = new ScheduledThreadPoolExecutor(1, daemons("reservoir-dynamodb-timer"));
            timer.setRemoveOnCancelPolicy(true);
            io = SdkEventLoopGroup.builder()
                    .numberOfThreads(IO_THREADS)
                    .threadFactory(daemons("reservoir-dynamodb-io"))
                    .build();
            sdk = client(key);
        }

        private DynamoDbAsyncClient client(Key key) {
            return DynamoDbAsyncClient.builder()
                    .region(Region.of(key.region))
                    .applyMutation(builder -> {
                        if (key.endpoint != null) {
                            builder.endpointOverride(key.endpoint);
                        }
                    })
                    .credentialsProvider(credentials(key))
                    .overrideConfiguration(settings -> settings.apiCallTimeout(CALL_TIMEOUT)
                            .retryStrategy(AwsRetryStrategy.doNotRetry())
                            .scheduledExecutorService(timer))
                    // The users of the client hand the answers over to threads of their own.
                    .asyncConfiguration(async -> async.advancedOption(
                            SdkAdvancedAsyncClientOption.FUTURE_COMPLETION_EXECUTOR, Runnable::run))
                    .httpClientBuilder(NettyNioAsyncHttpClient.builder()
                            .eventLoopGroup(io)
                            .maxConcurrency(CONNECTIONS_MAX)
                            .maxPendingConnectionAcquires(PENDING_MAX)
                            .connectionAcquisitionTimeout(CALL_TIMEOUT)
                            .connectionTimeout(CONNECT_TIMEOUT)
                            .readTimeout(CALL_TIMEOUT)
                            .writeTimeout(CALL_TIMEOUT)
                            .connectionMaxIdleTime(IDLE)
                            .tcpKeepAlive(true))
                    .build();
        }

        private static AwsCredentialsProvider credentials(Key key) {
            return isPlain(key.endpoint)
                    ? StaticCredentialsProvider.create(AwsBasicCredentials.create("local", "local"))
                    : DefaultCredentialsProvider.builder().build();
        }

        void close() {
            calls.shutdown();
            sdk.close();
            io.eventLoopGroup()
                    .shutdownGracefully(QUIET_MILLIS, CLOSING_MILLIS, TimeUnit.MILLISECONDS)
                    .awaitUninterruptibly(CLOSING_MILLIS, TimeUnit.MILLISECONDS);
            // The remaining timers end calls that were never answered, each within its timeout.
            timer.shutdown();
        }

        private static ThreadFactory daemons(String name) {
            return task -> {
                Thread thread = new Thread(task, name);
                thread.setDaemon(true);
                return thread;
            };
        }
    }
}
