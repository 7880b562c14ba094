package dev.reservoir.bench.dsql;

import dev.reservoir.bench.Jvm;
import dev.reservoir.bench.Quiet;
import dev.reservoir.emulator.Backend;
import dev.reservoir.emulator.DsqlEmulator;
import dev.reservoir.emulator.Limits;
import dev.reservoir.emulator.TokenCheck;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;

/**
 * An emulator that checks tokens including their signature. Prints its ports and its certificate, and runs until
 * standard input ends.
 */
final class EmulatorProcess {
    private EmulatorProcess() {}

    /**
     * Takes the back end ({@code embedded} or {@code stub}), the rate, the burst, the most open connections and the age
     * limit in seconds.
     */
    public static void main(String[] args) throws IOException {
        Quiet.logs();
        Limits limits = Limits.dsql()
                .withRatePerSecond(Double.parseDouble(args[1]))
                .withBurst(Integer.parseInt(args[2]))
                .withMaxOpen(Integer.parseInt(args[3]))
                .withMaxAge(Duration.ofSeconds(Long.parseLong(args[4])));
        try (DsqlEmulator emulator = DsqlEmulator.builder()
                .backend(args[0].equals("stub") ? Backend.stub() : Backend.embedded())
                .limits(limits)
                .tokens(TokenCheck.signature(Map.of(Access.KEY, Access.SECRET)))
                .start()) {
            System.out.println(emulator.port() + " " + emulator.httpPort() + " " + emulator.caCertificate());
            Jvm.awaitEndOfInput();
        }
        System.exit(0);
    }
}
