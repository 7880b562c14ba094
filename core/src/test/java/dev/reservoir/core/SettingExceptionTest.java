package dev.reservoir.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A rejected setting is told by its name, its value and what is allowed. */
class SettingExceptionTest {

    @Test
    void theMessageHoldsNameValueAndWhatIsAllowed() {
        assertThat(new SettingException("maxOpen", 0, "1 to 5")).hasMessage("maxOpen is 0; allowed: 1 to 5");
        assertThat(new SettingException("keepalive", Duration.ofSeconds(90), "0s to 1m0s"))
                .hasMessage("keepalive is 1m30s; allowed: 0s to 1m0s");
        assertThat(SettingException.unreadable("jmx", "yes", "true or false"))
                .hasMessage("jmx is \"yes\"; allowed: true or false");
        assertThat(SettingException.missing("url", "a JDBC URL")).hasMessage("url is missing; allowed: a JDBC URL");
    }

    @Test
    void anotherNameChangesNothingElse() {
        SettingException given = new SettingException("maxOpen", 0, "1 to 5");

        SettingException renamed = given.named("MAX_OPEN");

        assertThat(renamed).hasMessage("MAX_OPEN is 0; allowed: 1 to 5").hasCause(given);
        assertThat(renamed.key()).isEqualTo("MAX_OPEN");
        assertThat(renamed.value()).isEqualTo("0");
        assertThat(renamed.allowed()).isEqualTo("1 to 5");
        assertThat(given.named("maxOpen")).isSameAs(given);
        assertThat(SettingException.missing("url", "a JDBC URL").named("URL").value())
                .isNull();
    }
}
