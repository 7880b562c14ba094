package dev.reservoir.demo.view;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Opens a page in the browser of the user's desktop. Does nothing if there is no desktop, and never fails. */
public final class Desktop {
    private Desktop() {}

    /** Starts the desktop's command that opens an address. Does not block. */
    public static void open(String address) {
        List<String> command = command(System.getProperty("os.name", ""), System.getenv(), address);
        if (command.isEmpty()) {
            return;
        }
        try {
            new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException noSuchProgram) {
            // The demo has printed the address, so the user can open it by hand.
        }
    }

    /** Returns the command to start, or an empty list if there is no desktop. */
    static List<String> command(String system, Map<String, String> environment, String address) {
        String name = system.toLowerCase(Locale.ROOT);
        if (name.contains("mac")) {
            return List.of("open", address);
        }
        if (name.contains("windows")) {
            return List.of("rundll32", "url.dll,FileProtocolHandler", address);
        }
        boolean isDesktop = environment.containsKey("DISPLAY") || environment.containsKey("WAYLAND_DISPLAY");
        return isDesktop ? List.of("xdg-open", address) : List.of();
    }
}
