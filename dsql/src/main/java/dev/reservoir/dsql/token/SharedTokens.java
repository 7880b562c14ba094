package dev.reservoir.dsql.token;

import dev.reservoir.core.util.Text;
import dev.reservoir.dsql.endpoint.ClusterLogin;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.ProfileCredentialsProvider;

/**
 * The tokens of this process's data sources: one {@link DsqlTokens} for all that have the same cluster, user, duration and source of
 * credentials, so that ten pools ask for credentials as often as one. They end with the last that holds them, and with them the source of
 * credentials if it was made here; one that was given is never closed. Never blocks.
 */
public final class SharedTokens implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(DsqlTokens.class);
    private static final ReentrantLock LOCK = new ReentrantLock();

    /** Guarded by the lock. An entry lives as long as it is held. */
    private static final Map<Key, Entry> HELD = new HashMap<>();

    private final Key key;
    private final Entry entry;
    private final AtomicBoolean released = new AtomicBoolean();

    private SharedTokens(Key key, Entry entry) {
        this.key = key;
        this.entry = entry;
    }

    /**
     * Holds the tokens of this cluster.
     *
     * @param given where credentials come from; null for the profile's, or the default chain's without one
     */
    public static SharedTokens hold(
            ClusterLogin cluster, @Nullable AwsCredentialsProvider given, @Nullable String profile, Duration duration) {
        Key key = new Key(
                cluster.endpoint().host(),
                cluster.region(),
                cluster.user(),
                duration,
                given,
                given == null ? profile : null);
        LOCK.lock();
        try {
            Entry entry = HELD.get(key);
            if (entry == null) {
                entry = new Entry(made(key));
                HELD.put(key, entry);
            }
            entry.holders++;
            return new SharedTokens(key, entry);
        } finally {
            LOCK.unlock();
        }
    }

    private static DsqlTokens made(Key key) {
        AwsCredentialsProvider provider = key.given != null ? key.given : provider(key.profile);
        Runnable end = () -> {
            if (key.given == null) {
                close(provider);
            }
        };
        return DsqlTokens.of(key.host, key.region, key.user, provider, key.duration, end, true);
    }

    /** A new source of credentials: the profile's, or the default chain without one. */
    static AwsCredentialsProvider provider(@Nullable String profile) {
        return profile != null
                ? ProfileCredentialsProvider.create(profile)
                : DefaultCredentialsProvider.builder().build();
    }

    private static void close(AwsCredentialsProvider provider) {
        if (provider instanceof AutoCloseable ours) {
            try {
                ours.close();
            } catch (Exception e) {
                log.debug("AWS credentials provider not closed  error=\"{}\"", Text.oneLine(e));
            }
        }
    }

    public DsqlTokens tokens() {
        return entry.tokens;
    }

    /** Lets go of them. */
    @Override
    public void close() {
        if (!released.compareAndSet(false, true)) {
            return;
        }
        boolean last;
        LOCK.lock();
        try {
            last = --entry.holders == 0;
            if (last) {
                HELD.remove(key);
            }
        } finally {
            LOCK.unlock();
        }
        if (last) {
            entry.tokens.end();
        }
    }

    private static final class Entry {
        private final DsqlTokens tokens;
        private int holders;

        private Entry(DsqlTokens tokens) {
            this.tokens = tokens;
        }
    }

    /** Sources of credentials are told apart as objects: two that call themselves equal need not give the same. */
    private record Key(
            String host,
            String region,
            String user,
            Duration duration,
            @Nullable AwsCredentialsProvider given,
            @Nullable String profile) {
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key key
                    && key.given == given
                    && key.host.equals(host)
                    && key.region.equals(region)
                    && key.user.equals(user)
                    && key.duration.equals(duration)
                    && Objects.equals(key.profile, profile);
        }

        @Override
        public int hashCode() {
            return 31 * Objects.hash(host, region, user, duration, profile) + System.identityHashCode(given);
        }
    }
}
