package dev.reservoir.emulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.reservoir.emulator.junit.EmulatorExtension;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Counters, limits and faults over HTTP. */
class HttpTest {
    @RegisterExtension
    static final EmulatorExtension dsql = EmulatorExtension.with(builder -> builder.backend(Backend.stub()));

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private static HttpResponse<String> send(String method, String path, String body)
            throws IOException, InterruptedException {
        URI uri = URI.create("http://127.0.0.1:" + dsql.emulator().httpPort() + path);
        return HTTP.send(
                HttpRequest.newBuilder(uri)
                        .method(method, BodyPublishers.ofString(body))
                        .build(),
                BodyHandlers.ofString());
    }

    @AfterEach
    void reset() {
        dsql.emulator().limits(Limits.dsql());
        dsql.emulator().faults().clear();
    }

    @Test
    void countersAreOneFlatObject() throws Exception {
        // The connections of earlier tests must be closed first.
        await().atMost(Duration.ofSeconds(60))
                .until(() -> dsql.emulator().counters().open() == 0);
        try (Connection connection = Client.connect(dsql.emulator())) {
            HttpResponse<String> response = send("GET", "/counters", "");
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.headers().firstValue("content-type")).contains("application/json");
            assertThat(response.body().strip())
                    .startsWith("{\"accepted\":")
                    .contains("\"open\":1,", "\"refusedByRate\":0,")
                    .endsWith("\"dropped\":" + dsql.emulator().counters().dropped() + "}");
            assertThat(connection.isValid(5)).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            Host: 127.0.0.1:1                            | 200
            Host: localhost                              | 200
            Host: [::1]:1                                | 200
            Host: evil.example                           | 403
            Host: 127.0.0.1.evil.example                 | 403
            Host: localhost;Origin: http://evil.example  | 403
            Host: localhost;Origin: null                 | 403
            """)
    void aPageOfAnotherSiteMakesNoTrouble(String headers, int status) throws Exception {
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), dsql.emulator().httpPort())) {
            String request = "POST /faults/refuseTokens?on=true HTTP/1.1\r\n" + headers.replace(";", "\r\n")
                    + "\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(answer).startsWith("HTTP/1.1 " + status + " ");
        }
        assertThat(send("GET", "/faults", "").body()).contains("\"refuseTokens\":" + (status == 200));
    }

    @Test
    void limitsAreReadAndChangedInPart() throws Exception {
        assertThat(send("GET", "/limits", "").body().strip())
                .isEqualTo("{\"ratePerSecond\":100.0,\"burst\":1000,\"maxOpen\":10000,\"maxAgeMillis\":3600000,"
                        + "\"transactionRows\":3000,\"transactionBytes\":10485760,\"transactionAgeMillis\":300000}");
        assertThat(send("PUT", "/limits", "{\"burst\": 7, \"maxAgeMillis\": 250}")
                        .statusCode())
                .isEqualTo(200);
        assertThat(dsql.emulator().limits())
                .isEqualTo(Limits.dsql().withBurst(7).withMaxAge(Duration.ofMillis(250)));
    }

    @Test
    void faultsAreSwitchedOnAndOff() throws Exception {
        assertThat(send("POST", "/faults/unavailable?on=true", "").body()).contains("\"unavailable\":true");
        assertThat(send("POST", "/faults/slowStatements?millis=20", "").body())
                .contains("\"slowStatementsMillis\":20", "\"unavailable\":true");
        assertThat(send("POST", "/faults/clear", "").body())
                .contains("\"slowStatementsMillis\":0", "\"unavailable\":false");
        assertThat(send("GET", "/faults", "").body()).contains("\"refuse\":false");
    }

    @Test
    void aDropSaysHowManyItDropped() throws Exception {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> dsql.emulator().counters().open() == 0);
        try (Connection connection = Client.connect(dsql.emulator())) {
            assertThat(send("POST", "/faults/dropShare?share=1", "").body().strip())
                    .isEqualTo("{\"dropped\":1}");
            await().atMost(Duration.ofSeconds(60)).until(() -> !connection.isValid(5));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            GET | / | '' | 404 | there is no GET /;
            POST | /counters | '' | 404 | there is no POST /counters
            PUT | /limits | {"bursts": 1} | 400 | there is no limit bursts; there are ratePerSecond, burst
            PUT | /limits | {"burst": 0} | 400 | burst is 0; allowed: a whole number from 1 up
            PUT | /limits | {"burst": "many"} | 400 | burst is no number; allowed: a number
            PUT | /limits | nothing | 400 | the body is not a JSON object of numbers
            POST | /faults/fire?on=true | '' | 400 | there is no fault fire; there are refuse
            POST | /faults/refuse | '' | 400 | on is missing; say ?on=...
            POST | /faults/refuse?on=maybe | '' | 400 | on is maybe; allowed: true, false
            POST | /faults/dropShare?share=2 | '' | 400 | share is 2.0; allowed: 0 to 1
            """)
    void aMistakeIsNamed(String method, String path, String body, int status, String message) throws Exception {
        HttpResponse<String> response = send(method, path, body);
        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(response.body()).contains(message);
    }

    @Test
    void itCanBeLeftOut() {
        try (DsqlEmulator quiet =
                DsqlEmulator.builder().backend(Backend.stub()).httpPort(-1).start()) {
            assertThat(quiet.httpPort()).isEqualTo(-1);
        }
    }
}
