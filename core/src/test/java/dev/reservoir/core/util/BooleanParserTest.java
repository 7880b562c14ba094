package dev.reservoir.core.util;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Yes, no, and what is neither. */
class BooleanParserTest {
    private final Logger log = (Logger) LoggerFactory.getLogger(BooleanParser.class);
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

    @BeforeEach
    void listen() {
        logged.start();
        log.addAppender(logged);
        log.setAdditive(false);
        log.setLevel(Level.WARN);
    }

    @AfterEach
    void stopListening() {
        log.detachAppender(logged);
        log.setAdditive(true);
        log.setLevel(null);
    }

    private List<String> lines() {
        return logged.list.stream()
                .map(event -> event.getLevel() + " " + event.getFormattedMessage())
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "t", "T", "true", "TRUE", "True", " true "})
    void aClearYesIsOn(String text) {
        assertThat(BooleanParser.parse(text)).isTrue();
        assertThat(BooleanParser.isOn(Map.of("A", text), "A", log)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "f", "F", "false", "FALSE", "False", "", " "})
    void aClearNoAndNothingAtAllAreOffWithoutAWord(String text) {
        assertThat(BooleanParser.isOn(Map.of("A", text), "A", log)).isFalse();
        assertThat(BooleanParser.isOn(Map.of(), "A", log)).isFalse();
        assertThat(lines()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"yes", "on", "tRuE", "2", "-1", "enabled"})
    void whatIsNeitherIsOffWithAWarning(String text) {
        assertThat(BooleanParser.parse(text)).isNull();
        assertThat(BooleanParser.isOn(Map.of("A_ENABLED", text), "A_ENABLED", log))
                .isFalse();
        assertThat(lines())
                .containsExactly("WARN Reservoir: environment variable counts as false  key=A_ENABLED value=\"" + text
                        + "\" allowed=\"true or false\"");
    }

    @Test
    void aWarningIsOneLineOfBoundedLength() {
        BooleanParser.isOn(Map.of("A", "\"a\nb" + "c".repeat(500)), "A", log);
        assertThat(lines()).singleElement().asString().contains("value=\"'a bc").hasSizeLessThan(200);
    }
}
