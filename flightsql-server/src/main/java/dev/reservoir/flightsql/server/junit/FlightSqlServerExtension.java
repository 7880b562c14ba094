package dev.reservoir.flightsql.server.junit;

import dev.reservoir.flightsql.server.FlightSqlServer;
import dev.reservoir.flightsql.server.SessionRules;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A server for the tests of a class and its nested classes. It starts before the first test and closes after the last.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final FlightSqlServerExtension flight = FlightSqlServerExtension.with(SessionRules.swanLake());
 * }</pre>
 */
public final class FlightSqlServerExtension implements BeforeAllCallback, AfterAllCallback {
    private final UnaryOperator<FlightSqlServer.Builder> settings;

    // This object's lock guards both fields.
    private @Nullable FlightSqlServer server;
    private int classes;

    /** A server with the default settings of {@link FlightSqlServer#builder()}; for {@code @ExtendWith}. */
    public FlightSqlServerExtension() {
        this(UnaryOperator.identity());
    }

    private FlightSqlServerExtension(UnaryOperator<FlightSqlServer.Builder> settings) {
        this.settings = settings;
    }

    /** A server with these rules. */
    public static FlightSqlServerExtension with(SessionRules rules) {
        return new FlightSqlServerExtension(builder -> builder.rules(rules));
    }

    /** A server whose settings the given function changes. */
    public static FlightSqlServerExtension with(UnaryOperator<FlightSqlServer.Builder> settings) {
        return new FlightSqlServerExtension(settings);
    }

    /**
     * The running server.
     *
     * @throws IllegalStateException if the server is not running, as before the first test; the field must be static
     */
    public synchronized FlightSqlServer server() {
        if (server == null) {
            throw new IllegalStateException("The server is not running: is its field static, with @RegisterExtension?");
        }
        return server;
    }

    @Override
    public synchronized void beforeAll(ExtensionContext context) {
        if (classes++ == 0) {
            server = settings.apply(FlightSqlServer.builder()).start();
        }
    }

    @Override
    public synchronized void afterAll(ExtensionContext context) {
        if (--classes == 0 && server != null) {
            FlightSqlServer closing = server;
            server = null;
            closing.close();
        }
    }
}
