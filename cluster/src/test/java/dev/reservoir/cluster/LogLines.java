package dev.reservoir.cluster;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** Collects what budgets log until it is closed. */
public final class LogLines implements AutoCloseable {
    private final Logger log = (Logger) LoggerFactory.getLogger(ClusterBudget.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    public LogLines() {
        lines.start();
        log.setAdditive(false);
        log.setLevel(Level.INFO);
        log.addAppender(lines);
    }

    /** Those that contain this. */
    public List<String> lines(String part) {
        return List.copyOf(lines.list).stream()
                .map(ILoggingEvent::getFormattedMessage)
                .filter(queue -> queue.contains(part))
                .toList();
    }

    @Override
    public void close() {
        log.detachAppender(lines);
        log.setLevel(null);
        log.setAdditive(true);
    }
}
