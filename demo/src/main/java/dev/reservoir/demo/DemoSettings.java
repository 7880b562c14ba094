package dev.reservoir.demo;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a demo is asked for.
 *
 * @param length how long it runs; null for until somebody ends it
 * @param page whether it is shown on a page
 * @param pagePort the page's port; 0 for a free one
 * @param browser whether the page is opened in a browser, where there is a desktop
 * @param faults whether it makes trouble by itself, once
 * @param view what is printed
 * @param colours whether colours are used
 */
public record DemoSettings(
        @Nullable Duration length,
        boolean page,
        int pagePort,
        boolean browser,
        boolean faults,
        View view,
        boolean colours) {

    /** What is printed while it runs, and at the end. */
    public enum View {
        /** A picture that is drawn over itself. */
        PICTURE,
        /** A line a second. */
        LINES,
        /** Nothing but the summary, as JSON. */
        JSON
    }
}
