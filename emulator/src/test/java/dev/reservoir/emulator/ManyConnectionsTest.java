package dev.reservoir.emulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.pgwire.message.ClientMessages;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;

/** The stub can hold as many connections as DSQL. The test opens as many as fit into one process with their clients. */
class ManyConnectionsTest {
    private static final int CONNECTIONS = Integer.getInteger("emulator.test.connections", 2000);
    private static final int OPENERS = 8;

    @Test
    void theStubHoldsThousandsOfConnectionsThatAllAnswer() throws Exception {
        Limits limits = Limits.dsql().withBurst(CONNECTIONS).withMaxOpen(CONNECTIONS);
        ExecutorService openers = Executors.newFixedThreadPool(OPENERS);
        List<WireClient> clients = new ArrayList<>();
        try (DsqlEmulator dsql = DsqlEmulator.builder()
                .backend(Backend.stub())
                .limits(limits)
                .httpPort(-1)
                .start()) {
            SSLContext tls = WireClient.trust(dsql.caCertificate());
            List<Future<WireClient>> opening = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                opening.add(openers.submit(() -> {
                    WireClient client = WireClient.connect(tls, dsql.port(), null, false);
                    client.startup();
                    return client;
                }));
            }
            for (Future<WireClient> client : opening) {
                clients.add(client.get(5, TimeUnit.MINUTES));
            }
            assertThat(dsql.counters().open()).isEqualTo(CONNECTIONS);
            try (WireClient oneMore = WireClient.connect(tls, dsql.port(), null, false)) {
                assertThat(oneMore.startup()).containsExactly("E 53300", "end");
            }
            for (WireClient client : clients) {
                client.send(ClientMessages.sync());
                assertThat(client.untilReady(1)).containsExactly("ZI");
            }
        } finally {
            openers.shutdownNow();
            for (WireClient client : clients) {
                client.close();
            }
        }
    }
}
