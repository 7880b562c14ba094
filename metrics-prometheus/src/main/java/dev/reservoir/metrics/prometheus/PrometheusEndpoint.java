package dev.reservoir.metrics.prometheus;

import dev.reservoir.core.metrics.MetricSource;
import io.prometheus.metrics.exporter.httpserver.HTTPServer;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * Shows metrics to Prometheus over HTTP, at the path {@value #PATH}. Each scrape reads the source. Everybody who can
 * reach the address can read the metrics.
 *
 * <p>{@link #start} and {@link #close} block for a moment. The library answers on at most ten threads.
 */
public final class PrometheusEndpoint implements AutoCloseable {
    /** Where the metrics are. */
    public static final String PATH = "/metrics";

    private final HTTPServer server;
    private final InetAddress address;

    private PrometheusEndpoint(HTTPServer server, InetAddress address) {
        this.server = server;
        this.address = address;
    }

    /**
     * Starts an endpoint on the loopback address, so that no other machine can read it.
     *
     * @param port 0 for a free one
     * @throws IOException a {@link java.net.BindException} if the port is in use
     */
    public static PrometheusEndpoint start(MetricSource source, int port) throws IOException {
        return start(source, new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    /**
     * Starts an endpoint on this address.
     *
     * @throws IOException a {@link java.net.BindException} if the address is in use or belongs to another machine
     */
    public static PrometheusEndpoint start(MetricSource source, InetSocketAddress address) throws IOException {
        PrometheusRegistry registry = new PrometheusRegistry();
        MultiCollector collector = () -> Snapshots.of(source.read());
        registry.register(collector);
        HTTPServer server = HTTPServer.builder()
                .inetAddress(address.getAddress())
                .port(address.getPort())
                .metricsHandlerPath(PATH)
                .registry(registry)
                .buildAndStart();
        return new PrometheusEndpoint(server, address.getAddress());
    }

    /** The address that it listens on. */
    public InetSocketAddress address() {
        return new InetSocketAddress(address, server.getPort());
    }

    public int port() {
        return server.getPort();
    }

    /** Ends it and its threads. A scrape that runs may fail. */
    @Override
    public void close() {
        server.close();
    }

    @Override
    public String toString() {
        return "PrometheusEndpoint[" + address() + "]";
    }
}
