package dev.reservoir.flightsql;

import dev.reservoir.core.SettingException;
import dev.reservoir.core.spi.Credentials;
import dev.reservoir.core.util.Checks;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a pool. Every setting is checked when it is built.
 *
 * @param name names the pool in messages, logs and threads
 * @param minIdle how many connections the pool opens at its start and keeps although nobody uses them
 * @param maxSize the most connections at once
 * @param acquireTimeout how long a call waits for a connection
 * @param idleTtl how long a connection beyond {@code minIdle} may stay unused; zero keeps it
 * @param healthcheckSql the statement that shows that a connection works
 * @param defaultQueryTimeout bounds calls without a timeout of their own; null bounds none
 * @param retryOnFailure whether a read is sent once more if its connection is lost
 * @param connectTimeout how long opening a connection may take
 * @param maxLifetime how long a connection is used; zero has no limit
 * @param connectsPerMinute how many connections the pool opens per minute in the long run; twice {@code maxSize} may
 *     open at once
 * @param cancelTimeout bounds the attempts to stop a statement whose caller has gone
 * @param serialSessions whether the server runs the statements of one connection one after the other, so that an
 *     answered health check shows that the statement before it has ended
 * @param leakThreshold a handle that is open for longer is logged with the place that created it; zero logs none
 * @param keepAlive how often gRPC asks a silent server during a call whether it is there; zero never asks
 * @param headers headers of every call
 * @param credentials the source of the credentials; null logs in nobody
 * @param cookies whether cookies of the server are sent back
 * @param tls settings of TLS, for endpoints that begin with {@code grpc+tls}
 * @param tracer follows calls, for traces
 * @param allocator the parent of the pool's Arrow memory; null lets the pool have a root of its own
 */
public record PoolConfig(
        String name,
        int minIdle,
        int maxSize,
        Duration acquireTimeout,
        Duration idleTtl,
        String healthcheckSql,
        @Nullable Duration defaultQueryTimeout,
        boolean retryOnFailure,
        Duration connectTimeout,
        Duration maxLifetime,
        int connectsPerMinute,
        Duration cancelTimeout,
        boolean serialSessions,
        Duration leakThreshold,
        Duration keepAlive,
        Map<String, String> headers,
        @Nullable Credentials credentials,
        boolean cookies,
        Tls tls,
        CallTracer tracer,
        @Nullable BufferAllocator allocator) {

    /** Bounds {@code maxSize}. A server with that many sessions does not exist. */
    private static final int SIZE_LIMIT = 10_000;

    private static final Duration YEAR = Duration.ofDays(365);

    /** Checks every setting. */
    public PoolConfig {
        if (name.isBlank()) {
            throw SettingException.missing("name", "a name");
        }
        Checks.between("maxSize", maxSize, 1, SIZE_LIMIT);
        Checks.between("minIdle", minIdle, 0, maxSize);
        Checks.nanosBetween("acquireTimeout", acquireTimeout, Duration.ofMillis(1), QueryOptions.TIMEOUT_MAX);
        Checks.nanosBetween("idleTtl", idleTtl, Duration.ZERO, YEAR);
        if (healthcheckSql.isBlank()) {
            throw SettingException.missing("healthcheckSql", "a statement such as SELECT 1");
        }
        if (defaultQueryTimeout != null) {
            Checks.nanosBetween(
                    "defaultQueryTimeout", defaultQueryTimeout, QueryOptions.TIMEOUT_MIN, QueryOptions.TIMEOUT_MAX);
        }
        Checks.nanosBetween("connectTimeout", connectTimeout, Duration.ofMillis(1), Duration.ofHours(1));
        if (!maxLifetime.isZero()) {
            Checks.nanosBetween("maxLifetime", maxLifetime, Duration.ofSeconds(1), YEAR);
        }
        Checks.between("connectsPerMinute", connectsPerMinute, 1, 1_000_000);
        Checks.nanosBetween("cancelTimeout", cancelTimeout, Duration.ofMillis(1), Duration.ofHours(1));
        Checks.nanosBetween("leakThreshold", leakThreshold, Duration.ZERO, YEAR);
        if (!keepAlive.isZero()) {
            Checks.nanosBetween("keepAlive", keepAlive, Duration.ofSeconds(10), Duration.ofDays(1));
        }
        headers = Map.copyOf(headers);
    }

    /** Shows no header value, because it may be a secret. */
    @Override
    public String toString() {
        return "PoolConfig[name=" + name + ", minIdle=" + minIdle + ", maxSize=" + maxSize + ", headers="
                + headers.keySet() + "]";
    }

    /** The defaults. */
    public static PoolConfig defaults() {
        return builder().build();
    }

    /** A builder that starts from the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * The settings of TLS. Every file is in PEM format.
     *
     * @param trustedCertificates the certificates that are trusted; null trusts those that the JDK trusts
     * @param certificate the client's certificate, for mutual TLS; null has none
     * @param key the key of that certificate
     * @param serverName the name that the server's certificate must have; null uses the endpoint's host
     */
    public record Tls(
            @Nullable Path trustedCertificates,
            @Nullable Path certificate,
            @Nullable Path key,
            @Nullable String serverName) {
        /** The JDK's trusted certificates, and no certificate for the client. */
        public static final Tls DEFAULT = new Tls(null, null, null, null);

        /** Checks that certificate and key come together. */
        public Tls {
            if ((certificate == null) != (key == null)) {
                throw SettingException.missing(
                        certificate == null ? "tls.certificate" : "tls.key", "certificate and key, or neither");
            }
        }
    }

    /** Collects settings, each by the method of its name. {@link #build} checks them. */
    public static final class Builder {
        private String name = "flightsql";
        private int minIdle = 1;
        private int maxSize = Math.max(4, Math.min(16, 2 * Runtime.getRuntime().availableProcessors()));
        private Duration acquireTimeout = Duration.ofSeconds(30);
        private Duration idleTtl = Duration.ofMinutes(5);
        private String healthcheckSql = "SELECT 1";
        private @Nullable Duration defaultQueryTimeout;
        private boolean retryOnFailure = true;
        private Duration connectTimeout = Duration.ofSeconds(10);
        private Duration maxLifetime = Duration.ZERO;
        private int connectsPerMinute = 60;
        private Duration cancelTimeout = Duration.ofSeconds(5);
        private boolean serialSessions;
        private Duration leakThreshold = Duration.ZERO;
        // Servers in Java and C++ end connections that ask more often than every five minutes.
        private Duration keepAlive = Duration.ofSeconds(310);
        private final Map<String, String> headers = new LinkedHashMap<>();
        private @Nullable Credentials credentials;
        private boolean cookies;
        private Tls tls = Tls.DEFAULT;
        private CallTracer tracer = CallTracer.NONE;
        private @Nullable BufferAllocator allocator;

        private Builder() {}

        public Builder name(String value) {
            name = value;
            return this;
        }

        public Builder minIdle(int value) {
            minIdle = value;
            return this;
        }

        public Builder maxSize(int value) {
            maxSize = value;
            return this;
        }

        public Builder acquireTimeout(Duration value) {
            acquireTimeout = value;
            return this;
        }

        public Builder idleTtl(Duration value) {
            idleTtl = value;
            return this;
        }

        public Builder healthcheckSql(String value) {
            healthcheckSql = value;
            return this;
        }

        public Builder defaultQueryTimeout(@Nullable Duration value) {
            defaultQueryTimeout = value;
            return this;
        }

        public Builder retryOnFailure(boolean value) {
            retryOnFailure = value;
            return this;
        }

        public Builder connectTimeout(Duration value) {
            connectTimeout = value;
            return this;
        }

        public Builder maxLifetime(Duration value) {
            maxLifetime = value;
            return this;
        }

        public Builder connectsPerMinute(int value) {
            connectsPerMinute = value;
            return this;
        }

        public Builder cancelTimeout(Duration value) {
            cancelTimeout = value;
            return this;
        }

        public Builder serialSessions(boolean value) {
            serialSessions = value;
            return this;
        }

        public Builder leakThreshold(Duration value) {
            leakThreshold = value;
            return this;
        }

        public Builder keepAlive(Duration value) {
            keepAlive = value;
            return this;
        }

        /** Adds a header to every call. */
        public Builder header(String key, String value) {
            headers.put(key, value);
            return this;
        }

        /**
         * Sets the source of credentials. A credential with a user is sent as basic authentication, one without as a
         * bearer token. The pool asks before every call, so a source can renew its credentials.
         */
        public Builder credentials(@Nullable Credentials value) {
            credentials = value;
            return this;
        }

        public Builder cookies(boolean value) {
            cookies = value;
            return this;
        }

        public Builder tls(Tls value) {
            tls = value;
            return this;
        }

        public Builder tracer(CallTracer value) {
            tracer = value;
            return this;
        }

        public Builder allocator(@Nullable BufferAllocator value) {
            allocator = value;
            return this;
        }

        /** Checks every setting. A {@link SettingException} names the first that is not allowed. */
        public PoolConfig build() {
            return new PoolConfig(
                    name,
                    minIdle,
                    maxSize,
                    acquireTimeout,
                    idleTtl,
                    healthcheckSql,
                    defaultQueryTimeout,
                    retryOnFailure,
                    connectTimeout,
                    maxLifetime,
                    connectsPerMinute,
                    cancelTimeout,
                    serialSessions,
                    leakThreshold,
                    keepAlive,
                    headers,
                    credentials,
                    cookies,
                    tls,
                    tracer,
                    allocator);
        }
    }
}
