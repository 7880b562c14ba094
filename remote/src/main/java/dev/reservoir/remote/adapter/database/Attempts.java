package dev.reservoir.remote.adapter.database;

import dev.reservoir.remote.model.SslMode;
import java.util.List;

/** Replaces the modes of TLS that a driver does not know by attempts with those that it knows. */
final class Attempts {
    private Attempts() {}

    /** For a driver that either uses TLS or does not. */
    static List<SslMode> withOrWithout(SslMode mode) {
        return switch (mode) {
            case PREFER -> List.of(SslMode.REQUIRE, SslMode.DISABLE);
            case ALLOW -> List.of(SslMode.DISABLE, SslMode.REQUIRE);
            default -> List.of(mode);
        };
    }
}
