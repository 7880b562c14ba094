package dev.reservoir.dsql.token;

import dev.reservoir.core.util.Text;
import dev.reservoir.dsql.DsqlTokens;
import dev.reservoir.dsql.endpoint.ClusterLogin;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.ProfileCredentialsProvider;

/**
 * A reference to the tokens that data sources of this process share. All data sources with the same cluster, user,
 * duration and source of credentials use one {@link DsqlTokens}. So ten pools fetch credentials as often as one.
 *
 * <p>The tokens end when the last reference is closed. A source of credentials that was made here is closed with them.
 * One that the user provided is never closed. Never blocks.
 */
public final class SharedTokens implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(DsqlTokens.class);

    /** The tokens in use. Guarded by itself. An entry lives as long as a reference to it is open. */
    private static final Map<Key, Entry> SHARED = new HashMap<>();

    private final Key key;
    private final Entry entry;
    private final AtomicBoolean released = new AtomicBoolean();

    private SharedTokens(Key key, Entry entry) {
        this.key = key;
        this.entry = entry;
    }

    /**
     * Returns a reference to the tokens of this cluster, and makes them if needed. Does not block.
     *
     * @param given the source of credentials; if null, the profile is used, or the default chain if that is null, too
     */
    public static SharedTokens acquire(
            ClusterLogin cluster, @Nullable AwsCredentialsProvider given, @Nullable String profile, Duration duration) {
        Key key = new Key(
                cluster.endpoint().host(),
                cluster.region(),
                cluster.user(),
                duration,
                given,
                given == null ? profile : null);
        synchronized (SHARED) {
            Entry entry = SHARED.computeIfAbsent(key, missing -> new Entry(create(missing)));
            entry.references++;
            return new SharedTokens(key, entry);
        }
    }

    private static RenewingTokens create(Key key) {
        AwsCredentialsProvider provider = key.given != null ? key.given : provider(key.profile);
        Runnable end = () -> {
            if (key.given == null) {
                close(provider);
            }
        };
        return RenewingTokens.of(key.host, key.region, key.user, provider, key.duration, end, true);
    }

    /** Returns a new source of credentials: the profile, or the default chain if the profile is null. */
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

    /** The shared tokens. */
    public DsqlTokens tokens() {
        return entry.tokens;
    }

    /** Releases this reference. The last release ends the tokens. Does not block. */
    @Override
    public void close() {
        if (!released.compareAndSet(false, true)) {
            return;
        }
        boolean last;
        synchronized (SHARED) {
            last = --entry.references == 0;
            if (last) {
                SHARED.remove(key);
            }
        }
        if (last) {
            entry.tokens.end();
        }
    }

    private static final class Entry {
        private final RenewingTokens tokens;
        private int references;

        private Entry(RenewingTokens tokens) {
            this.tokens = tokens;
        }
    }

    /** Compares sources of credentials by identity, because equal ones may still give different credentials. */
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
