package dev.reservoir.remote.sys;

import dev.reservoir.remote.model.RemoteOption;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.ServerOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code sys.foreign_server_options}.
 *
 * @param value the value that was given, or the default, or null
 */
record OptionRow(
        String serverName,
        String option,
        @Nullable String value,
        boolean given,
        @Nullable String allowed) {
    /** Every option of every server, and the options for its driver. */
    static List<OptionRow> of(List<ServerDefinition> servers) {
        List<OptionRow> rows = new ArrayList<>();
        for (ServerDefinition server : servers) {
            Map<String, String> given = server.options();
            for (RemoteOption<?> option : ServerOptions.all()) {
                String value = given.remove(option.key());
                rows.add(new OptionRow(
                        server.name(),
                        option.key(),
                        value == null ? defaultText(option) : value,
                        value != null,
                        option.allowed()));
            }
            given.forEach((key, value) -> rows.add(new OptionRow(server.name(), key, value, true, null)));
        }
        return rows;
    }

    private static <T> @Nullable String defaultText(RemoteOption<T> option) {
        T value = option.defaultValue();
        return value == null ? null : option.format(value);
    }
}
