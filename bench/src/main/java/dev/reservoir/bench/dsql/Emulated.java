package dev.reservoir.bench.dsql;

import dev.reservoir.bench.Jvm;
import dev.reservoir.emulator.Backend;
import dev.reservoir.emulator.DsqlEmulator;
import dev.reservoir.emulator.Limits;
import dev.reservoir.emulator.TokenCheck;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An emulator in a process of its own, which checks tokens including their signature. Reads its counters and changes
 * its limits and faults over HTTP. Every method blocks for the answer.
 */
final class Emulated implements AutoCloseable {
    private static final Pattern NUMBER = Pattern.compile("\"(\\w+)\":(\\d+)");
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(30);

    private final Jvm jvm;
    private final Access access;
    private final URI http;
    private final HttpClient client = HttpClient.newHttpClient();

    private Emulated(Jvm jvm, Access access, int httpPort) {
        this.jvm = jvm;
        this.access = access;
        this.http = URI.create("http://127.0.0.1:" + httpPort);
    }

    /** Starts an emulator; {@code backend} is {@code embedded} or {@code stub}. */
    static Emulated start(String backend, String heap, Limits limits) throws IOException {
        Jvm jvm = Jvm.start(
                Emulated.class,
                List.of("-Xmx" + heap),
                List.of(
                        backend,
                        Double.toString(limits.ratePerSecond()),
                        Integer.toString(limits.burst()),
                        Integer.toString(limits.maxOpen()),
                        Long.toString(limits.maxAge().toSeconds())));
        String[] words = jvm.expectLine("the emulator").split(" ", 3);
        return new Emulated(jvm, new Access(Integer.parseInt(words[0]), Path.of(words[2])), Integer.parseInt(words[1]));
    }

    /** The limits of Aurora DSQL, except those that a case sets. */
    static Limits limits(double ratePerSecond, int burst, int maxOpen, Duration maxAge) {
        return Limits.dsql()
                .withRatePerSecond(ratePerSecond)
                .withBurst(burst)
                .withMaxOpen(maxOpen)
                .withMaxAge(maxAge);
    }

    /**
     * The other process. Takes the back end, the rate, the burst, the most open connections and the age limit in
     * seconds. Prints its ports and its certificate, and runs until standard input ends.
     */
    public static void main(String[] args) throws IOException {
        Jvm.silenceLogs();
        try (DsqlEmulator emulator = DsqlEmulator.builder()
                .backend(args[0].equals("stub") ? Backend.stub() : Backend.embedded())
                .limits(limits(
                        Double.parseDouble(args[1]),
                        Integer.parseInt(args[2]),
                        Integer.parseInt(args[3]),
                        Duration.ofSeconds(Long.parseLong(args[4]))))
                .tokens(TokenCheck.signature(Map.of(Access.KEY, Access.SECRET)))
                .start()) {
            System.out.println(emulator.port() + " " + emulator.httpPort() + " " + emulator.caCertificate());
            Jvm.awaitEndOfInput();
        }
        System.exit(0);
    }

    Access access() {
        return access;
    }

    /** The counts of the emulator that concern connections. */
    record Counted(
            long accepted, long refusedByRate, long refusedByCount, long refusedByToken, int open, long agedOut) {
        /** Connects refused for rate or number. */
        long refused() {
            return refusedByRate + refusedByCount;
        }
    }

    Counted counted() throws IOException, InterruptedException {
        Map<String, Long> all = new HashMap<>();
        Matcher matcher = NUMBER.matcher(send("GET", "/counters", ""));
        while (matcher.find()) {
            all.put(matcher.group(1), Long.valueOf(matcher.group(2)));
        }
        return new Counted(
                all.getOrDefault("accepted", 0L),
                all.getOrDefault("refusedByRate", 0L),
                all.getOrDefault("refusedByCount", 0L),
                all.getOrDefault("refusedByToken", 0L),
                all.getOrDefault("open", 0L).intValue(),
                all.getOrDefault("agedOut", 0L));
    }

    void rate(double perSecond, int burst) throws IOException, InterruptedException {
        send("PUT", "/limits", "{\"ratePerSecond\":" + perSecond + ",\"burst\":" + burst + "}");
    }

    void refuseTokens(boolean on) throws IOException, InterruptedException {
        send("POST", "/faults/refuseTokens?on=" + on, "");
    }

    /** Drops this share of the open connections and returns the number of dropped ones. */
    int drop(double share) throws IOException, InterruptedException {
        Matcher matcher = NUMBER.matcher(send("POST", "/faults/dropShare?share=" + share, ""));
        return matcher.find() ? Integer.parseInt(matcher.group(2)) : 0;
    }

    private String send(String method, String path, String body) throws IOException, InterruptedException {
        var answer = client.send(
                HttpRequest.newBuilder(http.resolve(path))
                        .timeout(ANSWER_WITHIN)
                        .method(method, BodyPublishers.ofString(body))
                        .build(),
                BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
            throw new IOException(method + " " + path + ": " + answer.body());
        }
        return answer.body();
    }

    @Override
    public void close() throws IOException {
        jvm.close();
    }
}
