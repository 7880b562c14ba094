package dev.reservoir.pgwire.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Both sides of SCRAM-SHA-256, against each other. Tests with a driver and with PostgreSQL are elsewhere. */
class ScramTest {
    @Test
    void bothSidesAgreeOnTheRightPassword() {
        ScramClient client = new ScramClient("secret", new ScramClient.Keys());
        ScramServer server = new ScramServer(ScramSecret.create("secret"));
        String last = server.last(client.proof(server.first(client.first())));
        assertThat(last).isNotNull();
        client.verify(last);
    }

    @Test
    void aWrongPasswordIsNoticed() {
        ScramClient client = new ScramClient("Secret", new ScramClient.Keys());
        ScramServer server = new ScramServer(ScramSecret.create("secret"));
        assertThat(server.last(client.proof(server.first(client.first())))).isNull();
    }

    @Test
    void noPasswordFitsASecretOfNobody() {
        ScramClient client = new ScramClient("", new ScramClient.Keys());
        ScramServer server = new ScramUsers(Map.of()).exchange("ann");
        assertThat(server.last(client.proof(server.first(client.first())))).isNull();
    }

    @Test
    void theClientNoticesAServerThatDoesNotKnowThePassword() {
        ScramClient client = new ScramClient("secret", new ScramClient.Keys());
        client.proof(new ScramServer(ScramSecret.create("secret")).first(client.first()));
        assertThatThrownBy(() -> client.verify("v=AAAA")).hasMessage("PostgreSQL's SCRAM signature is wrong");
    }

    @Test
    void aMessageThatDoesNotFitIsRefused() {
        ScramSecret secret = ScramSecret.create("secret");
        assertThatThrownBy(() -> new ScramServer(secret).first("p=tls-unique,,n=,r=abc"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new ScramServer(secret).first("n,,n=")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new ScramServer(secret).last("c=biws,r=abc,p=AAAA"))
                .isInstanceOf(IllegalArgumentException.class);
        ScramServer server = new ScramServer(secret);
        server.first("n,,n=,r=abc");
        assertThatThrownBy(() -> server.last("c=biws,r=other,p=AAAA")).isInstanceOf(IllegalArgumentException.class);
        assertThat(secret).hasToString("ScramSecret");
    }
}
