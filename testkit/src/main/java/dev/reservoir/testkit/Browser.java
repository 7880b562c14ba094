package dev.reservoir.testkit;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.openqa.selenium.By;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;

/** A headless Chromium with a new and empty profile, if one is installed. Never downloads anything. */
public final class Browser implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    /**
     * This logger warns about browsers newer than Selenium, which does not matter here. The field keeps the logger from
     * being collected, which would reset its level.
     */
    private static final Logger CDP = Logger.getLogger("org.openqa.selenium.devtools.CdpVersionFinder");

    private static final Pattern REQUEST =
            Pattern.compile("\"Network.requestWillBeSent\".*?\"request\":\\{.*?\"url\":\"([^\"]*)\"");

    private final ChromeDriver driver;

    private Browser(ChromeDriver driver) {
        this.driver = driver;
    }

    /** Starts a browser with a window of this height. Skips the test if no browser is installed. */
    public static Browser start(int height) {
        Optional<File> chromium = program("chromium", "chromium-browser", "google-chrome");
        Optional<File> chromedriver = program("chromedriver");
        assumeTrue(
                chromium.isPresent() && chromedriver.isPresent(),
                "skipped: pages are looked at in a browser only where chromium and chromedriver are on the PATH");
        CDP.setLevel(Level.SEVERE);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(chromium.get());
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--window-size=1400," + height);
        options.setCapability("goog:loggingPrefs", Map.of("browser", "ALL", "performance", "ALL"));
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(chromedriver.get())
                .usingAnyFreePort()
                .build();
        return new Browser(new ChromeDriver(service, options));
    }

    private static Optional<File> program(String... names) {
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Arrays.stream(names)
                .flatMap(name -> Arrays.stream(path.split(File.pathSeparator)).map(dir -> new File(dir, name)))
                .filter(File::canExecute)
                .findFirst();
    }

    /** Opens a page, discards earlier log entries, and waits until a script returns true. */
    public void open(String address, String ready) {
        driver.manage().logs().get("browser");
        driver.manage().logs().get("performance");
        driver.get(address);
        until(ready);
    }

    /** Warnings and errors on the browser's console. */
    public List<LogEntry> errors() {
        return driver.manage().logs().get("browser").getAll().stream()
                .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
                .toList();
    }

    /** The URLs of all requests since the page was opened. The page itself comes first. */
    public List<String> requests() {
        return driver.manage().logs().get("performance").getAll().stream()
                .map(entry -> REQUEST.matcher(entry.getMessage()))
                .filter(Matcher::find)
                .map(found -> found.group(1))
                .toList();
    }

    /** Runs the body of a script and returns its result. */
    public @Nullable Object js(String script, Object... arguments) {
        return driver.executeScript(script, arguments);
    }

    /** Waits until a script returns true. */
    public void until(String script, Object... arguments) {
        await().atMost(PATIENCE).until(() -> Boolean.TRUE.equals(js(script, arguments)));
    }

    /** Like {@link #until}, but runs {@code before} ahead of each check. */
    public void until(Runnable before, String script, Object... arguments) {
        await().atMost(PATIENCE).until(() -> {
            before.run();
            return Boolean.TRUE.equals(js(script, arguments));
        });
    }

    /** The first element that matches this selector. */
    public WebElement find(String css) {
        return driver.findElement(By.cssSelector(css));
    }

    /** All elements that match this selector. */
    public List<WebElement> findAll(String css) {
        return driver.findElements(By.cssSelector(css));
    }

    /** Starts a sequence of pointer and key actions. */
    public Actions act() {
        return new Actions(driver);
    }

    /** Emulates a user who prefers the color scheme {@code light} or {@code dark}. */
    public void prefers(String scheme) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    /** Writes a screenshot to a file. */
    public void picture(Path file) throws IOException {
        Files.write(file, driver.getScreenshotAs(OutputType.BYTES));
    }

    @Override
    public void close() {
        driver.quit();
    }
}
