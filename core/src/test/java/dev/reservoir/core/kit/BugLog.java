package dev.reservoir.core.kit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Searches the engine's log for lines that report a bug of its own. The engine survives those, so a test would not see
 * them otherwise.
 */
public final class BugLog {
    private static final Queue<String> BUGS = new ConcurrentLinkedQueue<>();

    static {
        Logger logger = (Logger) LoggerFactory.getLogger("dev.reservoir.core.internal.calls.EventLoop");
        logger.setLevel(Level.ERROR);
        AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                if (event.getFormattedMessage().startsWith("bug:")) {
                    BUGS.add(event.getFormattedMessage() + "\n"
                            + ThrowableProxyUtil.asString(event.getThrowableProxy()));
                }
            }
        };
        appender.setContext(logger.getLoggerContext());
        appender.start();
        logger.addAppender(appender);
        logger.setAdditive(false);
    }

    private BugLog() {}

    /** Removes the lines that earlier tests caused. */
    public static void clear() {
        BUGS.clear();
    }

    /** The first bug logged since the last {@link #clear}, or null. */
    public static @Nullable String first() {
        return BUGS.peek();
    }
}
