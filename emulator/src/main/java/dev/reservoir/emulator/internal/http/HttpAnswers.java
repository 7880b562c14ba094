package dev.reservoir.emulator.internal.http;

import dev.reservoir.emulator.Limits;
import dev.reservoir.emulator.internal.gateway.Emulation;
import dev.reservoir.emulator.internal.gateway.FaultState;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Answers the requests:
 *
 * <ul>
 *   <li>{@code GET /counters}
 *   <li>{@code GET /limits}, {@code PUT /limits} with the limits to change
 *   <li>{@code GET /faults}, {@code POST /faults/<name>?on=true}, {@code ?millis=250} or {@code ?share=0.3},
 *       {@code POST /faults/clear}
 * </ul>
 */
final class HttpAnswers {
    private static final String FAULTS = "/faults/";

    private final Emulation emulation;

    HttpAnswers(Emulation emulation) {
        this.emulation = emulation;
    }

    /**
     * An answer.
     *
     * @param status the HTTP status
     * @param body the body in JSON
     */
    public record Answer(int status, String body) {}

    Answer answer(String method, String uri, String body) {
        QueryStringDecoder decoded = new QueryStringDecoder(uri);
        String path = decoded.path();
        try {
            return switch (method + " " + (path.startsWith(FAULTS) ? FAULTS : path)) {
                case "GET /counters" -> ok(Json.fields(emulation.counters()));
                case "GET /limits" -> ok(Json.fields(emulation.limits()));
                case "PUT /limits" -> {
                    emulation.limits(changed(emulation.limits(), Json.read(body)));
                    yield ok(Json.fields(emulation.limits()));
                }
                case "GET /faults" -> ok(emulation.faults().asMap());
                case "POST /faults/" -> ok(fault(path.substring(FAULTS.length()), decoded.parameters()));
                default ->
                    problem(
                            404,
                            "there is no " + method + " " + path + "; there are GET /counters, GET and PUT /limits, "
                                    + "GET /faults, POST /faults/<name>");
            };
        } catch (IllegalArgumentException e) {
            return problem(400, String.valueOf(e.getMessage()));
        } catch (IOException e) {
            return problem(400, "the body is not a JSON object of numbers");
        }
    }

    static Answer refusedToPages() {
        return problem(403, "asked for by a page of another site, or by another name than 127.0.0.1 or localhost");
    }

    private static Answer ok(Map<String, ?> values) {
        return new Answer(200, Json.write(values));
    }

    private static Answer problem(int status, String message) {
        return new Answer(status, Json.write(Map.of("error", message)));
    }

    private static Limits changed(Limits limits, Map<String, Double> changes) {
        Limits changed = limits;
        for (Map.Entry<String, Double> change : changes.entrySet()) {
            double value = change.getValue();
            changed = switch (change.getKey()) {
                case "ratePerSecond" -> changed.withRatePerSecond(value);
                case "burst" -> changed.withBurst((int) value);
                case "maxOpen" -> changed.withMaxOpen((int) value);
                case "maxAgeMillis" -> changed.withMaxAge(Duration.ofMillis((long) value));
                case "transactionRows" -> changed.withTransactionRows((long) value);
                case "transactionBytes" -> changed.withTransactionBytes((long) value);
                case "transactionAgeMillis" -> changed.withTransactionAge(Duration.ofMillis((long) value));
                default ->
                    throw new IllegalArgumentException("there is no limit " + change.getKey() + "; there are "
                            + String.join(", ", Json.fields(limits).keySet()));
            };
        }
        return changed;
    }

    private Map<String, Object> fault(String name, Map<String, List<String>> parameters) {
        FaultState faults = emulation.faults();
        switch (name) {
            case "refuse" -> faults.refuse(on(parameters));
            case "hangConnects" -> faults.hangConnects(on(parameters));
            case "delayConnects" -> faults.delayConnects(millis(parameters));
            case "slowStatements" -> faults.slowStatements(millis(parameters));
            case "unavailable" -> faults.unavailable(on(parameters));
            case "unavailableAfterCommit" -> faults.unavailableAfterCommit(on(parameters));
            case "refuseTokens" -> faults.refuseTokens(on(parameters));
            case "dropShare" -> {
                return Map.of("dropped", faults.dropShare(number("share", parameters)));
            }
            case "clear" -> faults.clear();
            default ->
                throw new IllegalArgumentException(
                        "there is no fault " + name + "; there are refuse, hangConnects, "
                                + "delayConnects, slowStatements, unavailable, unavailableAfterCommit, refuseTokens, dropShare, clear");
        }
        return faults.asMap();
    }

    private static boolean on(Map<String, List<String>> parameters) {
        String value = only("on", parameters);
        if (!value.equals("true") && !value.equals("false")) {
            throw new IllegalArgumentException("on is " + value + "; allowed: true, false");
        }
        return Boolean.parseBoolean(value);
    }

    private static Duration millis(Map<String, List<String>> parameters) {
        return Duration.ofMillis((long) number("millis", parameters));
    }

    private static double number(String name, Map<String, List<String>> parameters) {
        String value = only(name, parameters);
        try {
            return Double.parseDouble(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(name + " is " + value + "; allowed: a number", e);
        }
    }

    private static String only(String name, Map<String, List<String>> parameters) {
        List<String> values = parameters.getOrDefault(name, List.of());
        if (values.size() != 1) {
            throw new IllegalArgumentException(name + " is missing; say ?" + name + "=...");
        }
        return values.get(0);
    }
}
