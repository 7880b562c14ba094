package dev.reservoir.demo.view;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DesktopTest {
    private static final String ADDRESS = "http://127.0.0.1:1/";

    @Test
    void aBrowserIsAskedForOnlyWhereThereIsADesktop() {
        assertThat(Desktop.command("Linux", Map.of(), ADDRESS)).isEmpty();
        assertThat(Desktop.command("Linux", Map.of("DISPLAY", ":0"), ADDRESS)).containsExactly("xdg-open", ADDRESS);
        assertThat(Desktop.command("Linux", Map.of("WAYLAND_DISPLAY", "wayland-0"), ADDRESS))
                .containsExactly("xdg-open", ADDRESS);
        assertThat(Desktop.command("Mac OS X", Map.of(), ADDRESS)).isEqualTo(List.of("open", ADDRESS));
        assertThat(Desktop.command("Windows 11", Map.of(), ADDRESS)).contains(ADDRESS);
    }
}
