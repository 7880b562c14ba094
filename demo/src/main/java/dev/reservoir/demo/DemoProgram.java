package dev.reservoir.demo;

import com.sun.net.httpserver.HttpServer;
import dev.reservoir.core.util.Text;
import dev.reservoir.demo.fleet.InParallel;
import dev.reservoir.demo.fleet.Scale;
import dev.reservoir.demo.view.DemoSummary;
import dev.reservoir.demo.view.Desktop;
import dev.reservoir.demo.view.LineView;
import dev.reservoir.demo.view.Page;
import dev.reservoir.demo.view.TerminalView;
import dev.reservoir.demo.view.View;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs a demo from start to end, and prints its output. Never leaves a server or a folder behind, however it ends. */
public final class DemoProgram {
    /** Time after which every connection is dropped, in a run without a fixed length. */
    private static final Duration DROP_AT = Duration.ofSeconds(20);

    /** Earliest time at which connections are dropped. Before it the fleets are not full. */
    private static final Duration DROP_AT_MIN = Duration.ofSeconds(12);

    /** Longest time for which Ctrl-C waits until the demo has ended. */
    private static final long END_TIMEOUT_SECONDS = 60;

    private final DemoSettings settings;
    private final PrintStream out;
    private final InputStream in;
    private final CountDownLatch endRequested = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);

    /**
     * Creates a demo without starting it.
     *
     * @param out the stream for the output
     * @param in the stream that is read for Enter, in a run without a fixed length
     */
    public DemoProgram(DemoSettings settings, PrintStream out, InputStream in) {
        this.settings = settings;
        this.out = out;
        this.in = in;
    }

    /**
     * Runs the demo. Blocks until its time is over, or the user presses Enter or Ctrl-C.
     *
     * @throws IOException if the page's port is in use
     */
    public void run() throws IOException {
        Thread hook = new Thread(this::endAndWait, "demo-exit");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            demo();
        } finally {
            ended.countDown();
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException exiting) {
                // The shutdown itself has ended the demo.
            }
        }
    }

    /** Asks a run to end. Does not block. */
    public void end() {
        endRequested.countDown();
    }

    /**
     * Lets Ctrl-C end the demo in order, so that no server and no folder stays behind. Blocks for at most 60 seconds.
     */
    private void endAndWait() {
        end();
        try {
            if (!ended.await(END_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                out.println("The demo did not end in time.");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void demo() throws IOException {
        HttpServer server = settings.page() ? Page.bind(settings.pagePort()) : null;
        Duration dropAt = dropAt();
        say("Starting two emulated clusters and DynamoDB Local ...");
        try (Demo demo = Demo.start(dropAt)) {
            say(Scale.ABOUT);
            say(opening(dropAt));
            try (Page page = server == null ? null : Page.start(demo, server, opening(dropAt))) {
                if (page != null) {
                    say("Watch it and inject faults: " + page.address());
                    if (settings.browser() && endRequested.getCount() > 0) {
                        Desktop.open(page.address());
                    }
                }
                watch(demo);
            }
        }
    }

    private void watch(Demo demo) {
        Duration length = settings.length();
        say(length == null ? "Enter or Ctrl-C ends it." : "It runs for " + Text.nanos(length.toNanos()) + ".");
        say("");
        View view = settings.output() == DemoSettings.Output.PICTURE
                ? new TerminalView(out, settings.colours())
                : new LineView(out);
        if (settings.output() != DemoSettings.Output.JSON) {
            demo.listen(view::show);
        }
        if (length == null) {
            endOnEnter();
        }
        try {
            if (length == null) {
                endRequested.await();
            } else {
                var unused = endRequested.await(length.toNanos(), TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        DemoSummary summary = demo.finish();
        if (settings.output() == DemoSettings.Output.JSON) {
            out.println(summary.json());
        } else {
            view.end(summary.lines());
        }
    }

    private @Nullable Duration dropAt() {
        if (!settings.faults()) {
            return null;
        }
        Duration length = settings.length();
        if (length == null) {
            return DROP_AT;
        }
        Duration third = length.dividedBy(3);
        Duration at = third.compareTo(DROP_AT_MIN) < 0 ? DROP_AT_MIN : third;
        return at.compareTo(length) < 0 ? at : null;
    }

    private static String opening(@Nullable Duration dropAt) {
        return dropAt == null
                ? "The demo injects no fault by itself."
                : "After " + Text.nanos(dropAt.toNanos()) + " every connection is dropped at once, on both sides.";
    }

    private void endOnEnter() {
        // If there is no input, this fails, because the user cannot press Enter.
        var unused = InParallel.start(() -> {
            int read;
            do {
                read = in.read();
            } while (read >= 0 && read != '\n');
            // The end of the input does not mean that the user pressed Enter.
            if (read >= 0) {
                end();
            }
            return read;
        });
    }

    private void say(String line) {
        if (settings.output() != DemoSettings.Output.JSON) {
            out.println(line);
        }
    }
}
