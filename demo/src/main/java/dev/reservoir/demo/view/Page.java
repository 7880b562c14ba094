package dev.reservoir.demo.view;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.reservoir.demo.Demo;
import dev.reservoir.demo.fault.Fault;
import dev.reservoir.demo.fault.FaultInjector;
import dev.reservoir.demo.fleet.Scale;
import dev.reservoir.demo.sample.Snapshot;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Serves the live page, on 127.0.0.1 only. A browser loads the page and then receives every snapshot as a server-sent
 * event. The page can inject faults; pages of any other address cannot. Never contacts another host.
 */
public final class Page implements AutoCloseable {
    private static final String RESOURCES = "dev/reservoir/demo/";

    /** The chart library. The version must equal the one in the build. */
    private static final String CHARTS = "META-INF/resources/webjars/chart.js/4.5.1/dist/chart.umd.min.js";

    /**
     * The line that names a source map. It is removed, because a browser with open developer tools would request that
     * file.
     */
    private static final Pattern SOURCE_MAP = Pattern.compile("(?m)^//# sourceMappingURL=.*$");

    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
            + "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    /**
     * A header that the page sends with each fault. A page of another address must ask the server before it may send
     * this header, and the server does not allow it.
     */
    private static final String OWN_HEADER = "X-Reservoir-Demo";

    /** Most threads. Each connected browser occupies one. */
    private static final int THREADS_MAX = 64;

    /** Most snapshots that are kept for browsers that connect later: three minutes. */
    private static final int SNAPSHOTS_KEPT = 180;

    /** Most snapshots that wait for one browser. A browser that falls further behind is dropped. */
    private static final int UNREAD_MAX = SNAPSHOTS_KEPT + 60;

    private static final String END = "";

    private final HttpServer server;
    private final ExecutorService threads;
    private final FaultInjector faults;
    private final String opening;
    private final Set<BlockingQueue<String>> readers = ConcurrentHashMap.newKeySet();

    /** The last snapshots, oldest first, for browsers that connect later. Guarded by itself. */
    private final ArrayDeque<String> snapshots = new ArrayDeque<>();

    private Page(HttpServer server, Demo demo, String opening) {
        this.server = server;
        this.faults = demo.faults();
        this.opening = opening;
        threads = new ThreadPoolExecutor(1, THREADS_MAX, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
            Thread thread = new Thread(task, "demo-page");
            thread.setDaemon(true);
            return thread;
        });
    }

    /**
     * Binds a port of 127.0.0.1, so that the demo knows early whether the port is free.
     *
     * @param port the port; 0 for any free port
     * @throws IOException if the port is in use
     */
    public static HttpServer bind(int port) throws IOException {
        InetAddress own = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
        return HttpServer.create(new InetSocketAddress(own, port), 0);
    }

    /**
     * Starts the page. Does not block.
     *
     * @param server the server that was bound
     * @param opening one sentence about the fault that the demo will inject by itself
     */
    public static Page start(Demo demo, HttpServer server, String opening) {
        Page page = new Page(server, demo, opening);
        server.setExecutor(page.threads);
        server.createContext("/", page::answer);
        demo.listen(page::show);
        server.start();
        return page;
    }

    public String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }

    private void show(Snapshot snapshot) {
        String event = event("snapshot", JsonText.of(snapshot));
        synchronized (snapshots) {
            snapshots.add(event);
            if (snapshots.size() > SNAPSHOTS_KEPT) {
                snapshots.remove();
            }
            // A browser that does not read is dropped. It may connect again.
            readers.removeIf(reader -> !reader.offer(event));
        }
    }

    private static String event(String name, String data) {
        return "event: " + name + "\ndata: " + data + "\n\n";
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String host = exchange.getRequestHeaders().getFirst("Host");
            if (host == null || !address().equals("http://" + host + "/")) {
                send(exchange, 403, "text/plain", "This page is at " + address() + " only.\n");
                return;
            }
            String path = exchange.getRequestURI().getPath();
            switch (exchange.getRequestMethod() + " " + path) {
                case "GET /" -> send(exchange, 200, "text/html", resource(RESOURCES + "page.html"));
                case "GET /page.css" -> send(exchange, 200, "text/css", resource(RESOURCES + "page.css"));
                case "GET /page.js" -> send(exchange, 200, "text/javascript", resource(RESOURCES + "page.js"));
                case "GET /charts.js" -> send(exchange, 200, "text/javascript", resource(RESOURCES + "charts.js"));
                case "GET /chart.js" ->
                    send(
                            exchange,
                            200,
                            "text/javascript",
                            SOURCE_MAP.matcher(resource(CHARTS)).replaceAll(""));
                case "GET /setup" -> send(exchange, 200, "application/json", setup());
                case "GET /snapshots" -> stream(exchange);
                default -> injectFault(exchange, path);
            }
        }
    }

    /** The data that the page needs before the first snapshot. */
    private String setup() {
        List<Map<String, String>> kinds = Stream.of(Fault.values())
                .map(fault -> Map.of("id", fault.id(), "title", fault.title(), "description", fault.description()))
                .toList();
        return JsonText.of(
                Map.of("opening", opening, "about", Scale.ABOUT, "connections", Scale.CONNECTIONS, "faults", kinds));
    }

    private void injectFault(HttpExchange exchange, String path) throws IOException {
        boolean isFault = exchange.getRequestMethod().equals("POST") && path.startsWith("/fault/");
        var fault = isFault ? Fault.named(path.substring("/fault/".length())) : Optional.<Fault>empty();
        if (fault.isEmpty()) {
            send(exchange, 404, "text/plain", "There is no such page.\n");
        } else if (exchange.getRequestHeaders().getFirst(OWN_HEADER) == null) {
            send(exchange, 403, "text/plain", "Only the page itself may inject faults.\n");
        } else {
            send(exchange, 200, "text/plain", faults.begin(fault.get()));
        }
    }

    private void stream(HttpExchange exchange) throws IOException {
        headers(exchange, "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        BlockingQueue<String> reader = new ArrayBlockingQueue<>(UNREAD_MAX);
        List<String> before;
        synchronized (snapshots) {
            before = List.copyOf(snapshots);
            readers.add(reader);
        }
        try (OutputStream out = exchange.getResponseBody()) {
            for (String event : before) {
                out.write(event.getBytes(StandardCharsets.UTF_8));
            }
            out.flush();
            while (readers.contains(reader)) {
                String event = reader.poll(1, TimeUnit.SECONDS);
                if (event != null && event.equals(END)) {
                    out.write(event("end", "{}").getBytes(StandardCharsets.UTF_8));
                    return;
                }
                if (event != null) {
                    out.write(event.getBytes(StandardCharsets.UTF_8));
                    out.flush();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            readers.remove(reader);
        }
    }

    private static void send(HttpExchange exchange, int status, String type, String body) throws IOException {
        headers(exchange, type);
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private static void headers(HttpExchange exchange, String type) {
        exchange.getResponseHeaders().set("Content-Type", type + "; charset=utf-8");
        exchange.getResponseHeaders().set("Cache-Control", "no-store");
        exchange.getResponseHeaders().set("Content-Security-Policy", POLICY);
        exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = Page.class.getClassLoader().getResourceAsStream(name)) {
            if (in == null) {
                throw new FileNotFoundException("a part of the page is not on the class path: " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Tells all browsers that the demo is over, and stops the server. Blocks for at most one second. */
    @Override
    public void close() {
        synchronized (snapshots) {
            readers.forEach(reader -> reader.offer(END));
        }
        server.stop(1);
        threads.shutdownNow();
    }
}
