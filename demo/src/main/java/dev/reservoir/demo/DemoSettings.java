package dev.reservoir.demo;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a demo.
 *
 * @param length how long the demo runs; null to run until the user ends it
 * @param page whether the demo serves a web page
 * @param pagePort the page's port; 0 for any free port
 * @param browser whether the page is opened in a browser, if there is a desktop
 * @param faults whether the demo injects one fault by itself
 * @param output what the demo prints
 * @param colours whether the output uses colours
 */
public record DemoSettings(
        @Nullable Duration length,
        boolean page,
        int pagePort,
        boolean browser,
        boolean faults,
        Output output,
        boolean colours) {

    /** The output during the run and at the end. */
    public enum Output {
        /** A picture that is redrawn in place. */
        PICTURE,
        /** One line per second. */
        LINES,
        /** Only the summary, as JSON. */
        JSON
    }
}
