package dev.reservoir.emulator.junit;

import dev.reservoir.emulator.DsqlEmulator;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * An emulator for the tests of a class and its nested classes. It starts before the first test and closes after the
 * last.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final EmulatorExtension dsql = EmulatorExtension.with(builder -> builder.limits(Limits.dsql().withBurst(5)));
 * }</pre>
 *
 * <p>Tests get the emulator from {@link #emulator()} or as a parameter of type {@link DsqlEmulator}.
 */
public final class EmulatorExtension implements BeforeAllCallback, AfterAllCallback, ParameterResolver {
    private final UnaryOperator<DsqlEmulator.Builder> settings;

    // This object's lock guards both fields.
    private @Nullable DsqlEmulator emulator;
    private int classes;

    /** An emulator with the default settings of {@link DsqlEmulator#builder()}; for {@code @ExtendWith}. */
    public EmulatorExtension() {
        this(UnaryOperator.identity());
    }

    private EmulatorExtension(UnaryOperator<DsqlEmulator.Builder> settings) {
        this.settings = settings;
    }

    /** An emulator whose settings the given function changes. */
    public static EmulatorExtension with(UnaryOperator<DsqlEmulator.Builder> settings) {
        return new EmulatorExtension(settings);
    }

    /**
     * The running emulator. Does not block, except while another thread starts or closes it.
     *
     * @throws IllegalStateException if the emulator is not running, as before the first test; the field must be static
     */
    public synchronized DsqlEmulator emulator() {
        if (emulator == null) {
            throw new IllegalStateException(
                    "The emulator is not running: is its field static, with @RegisterExtension?");
        }
        return emulator;
    }

    @Override
    public synchronized void beforeAll(ExtensionContext context) {
        if (classes++ == 0) {
            emulator = settings.apply(DsqlEmulator.builder()).start();
        }
    }

    @Override
    public synchronized void afterAll(ExtensionContext context) {
        if (--classes == 0 && emulator != null) {
            DsqlEmulator closing = emulator;
            emulator = null;
            closing.close();
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == DsqlEmulator.class;
    }

    @Override
    public DsqlEmulator resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return emulator();
    }
}
