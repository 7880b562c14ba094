package dev.reservoir.testkit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** Captures Reservoir's log lines of every level until it is closed. */
public final class LogLines implements AutoCloseable {
    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.reservoir");
    private final @Nullable Level levelBefore = logger.getLevel();
    private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            events.add(event);
        }
    };

    /** Starts to capture. */
    public LogLines() {
        appender.setContext(logger.getLoggerContext());
        appender.start();
        logger.setLevel(Level.TRACE);
        logger.setAdditive(false);
        logger.addAppender(appender);
    }

    /** Level and text of each line. */
    public List<String> lines() {
        return events.stream()
                .map(e -> e.getLevel() + " " + e.getFormattedMessage())
                .toList();
    }

    /** The lines that begin with this text, level included. */
    public List<String> startingWith(String beginning) {
        return lines().stream().filter(line -> line.startsWith(beginning)).toList();
    }

    @Override
    public void close() {
        logger.detachAppender(appender);
        logger.setLevel(levelBefore);
        logger.setAdditive(true);
        appender.stop();
    }
}
