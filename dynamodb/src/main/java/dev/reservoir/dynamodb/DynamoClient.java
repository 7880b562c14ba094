package dev.reservoir.dynamodb;

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
 * The way to the DynamoDB of one region. All who ask for the same in a process share one client of the SDK with a few daemon
 * threads; the last to close ends it. The SDK retries nothing: whoever calls knows better what a second try means.
 *
 * <p>Credentials come from the SDK's default chain. To an endpoint without TLS, which is DynamoDB Local, go made-up ones, and
 * never real ones.
 */
public final class DynamoClient implements AutoCloseable {
    /** After which a call that is not answered is given up. */
    static final Duration CALL_TIMEOUT = Duration.ofSeconds(5);

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration IDLE = Duration.ofSeconds(45);
    private static final int CONNECTIONS_MOST = 32;
    private static final int PENDING_MOST = 2_000;

    /** For so long nothing must happen before the threads for I/O end: connections close on them. */
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
     * The one of this region and endpoint. Blocks for up to some seconds if it is the first: while the AWS SDK is loaded, and where
     * no region is given, while the SDK looks for one.
     *
     * @param region such as {@code eu-west-1}; null for what the SDK finds in the environment
     * @param endpoint instead of the region's own; for DynamoDB Local and for gateways
     */
    public static DynamoClient shared(@Nullable String region, @Nullable URI endpoint) {
        if (endpoint != null && endpoint.getRawUserInfo() != null) {
            // Not quoted: it may hold a password, and would be in every message.
            throw new IllegalArgumentException("endpoint has a user or a password in it; allowed: a URL without,"
                    + " such as http://localhost:8000");
        }
        Key key = new Key(regionOr(region, endpoint), endpoint);
        return new DynamoClient(ALL.acquire(key, () -> new Parts(key), same -> {}));
    }

    /** The SDK's client. Not to be closed. Its methods may block for a moment, while credentials are fetched. */
    public DynamoDbAsyncClient sdk() {
        return parts.sdk;
    }

    /** Where calls may begin, as that can block while credentials are fetched. Refuses when far too many wait. */
    Executor calls() {
        return parts.calls;
    }

    /** For delays. What it runs is short and does not block. Refuses once the client is closed. */
    ScheduledExecutorService timer() {
        return parts.timer;
    }

    /** Which DynamoDB it is, in words. */
    String where() {
        return parts.where;
    }

    String region() {
        return parts.region;
    }

    /** Lets go of it. Blocks for up to a second if it was the last to do so. */
    @Override
    public void close() {
        handle.close();
    }

    /** The region that the host name of a DSQL cluster tells, with or without a port; null if it is no such name. Does not block. */
    public static @Nullable String regionOf(String endpoint) {
        return DsqlHosts.regionOf(endpoint);
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

    /** Whether what is sent there is not encrypted. */
    private static boolean isPlain(@Nullable URI endpoint) {
        return endpoint != null
                && "http".equals(String.valueOf(endpoint.getScheme()).toLowerCase(Locale.ROOT));
    }

    private record Key(String region, @Nullable URI endpoint) {}

    /** What a client consists of. */
    private static final class Parts {
        final String region;
        final String where;
        final DynamoDbAsyncClient sdk;
        final ThreadPoolExecutor calls;
        final ScheduledThreadPoolExecutor timer;
        final SdkEventLoopGroup io;

        Parts(Key key) {
            region = key.region;
            where = key.endpoint == null ? key.region : key.endpoint.toString();
            calls = new ThreadPoolExecutor(
                    CALL_THREADS,
                    CALL_THREADS,
                    30,
                    TimeUnit.SECONDS,
                    new LinkedBlockingQueue<>(PENDING_MOST),
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
                    // Whoever uses the client hands the answers over to a thread of its own.
                    .asyncConfiguration(async -> async.advancedOption(
                            SdkAdvancedAsyncClientOption.FUTURE_COMPLETION_EXECUTOR, Runnable::run))
                    .httpClientBuilder(NettyNioAsyncHttpClient.builder()
                            .eventLoopGroup(io)
                            .maxConcurrency(CONNECTIONS_MOST)
                            .maxPendingConnectionAcquires(PENDING_MOST)
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
            // What it still has to end are calls that were never answered, each within its time.
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
