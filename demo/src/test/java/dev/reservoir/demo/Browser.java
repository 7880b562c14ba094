package dev.reservoir.demo;

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
import org.openqa.selenium.By;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;

/** A Chromium without a window, if one is installed, with a new and empty profile. Never downloads anything. */
final class Browser implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final Pattern REQUEST =
            Pattern.compile("\"Network.requestWillBeSent\".*?\"request\":\\{.*?\"url\":\"([^\"]*)\"");

    /** It warns of browsers that are newer than itself, which does not matter here. Held, since the level goes with it. */
    private static final Logger CDP = Logger.getLogger("org.openqa.selenium.devtools.CdpVersionFinder");

    private final ChromeDriver driver;

    private Browser(ChromeDriver driver) {
        this.driver = driver;
    }

    /** Starts one; skips the test where none is installed. */
    static Browser start() {
        Optional<File> chromium = program("chromium", "chromium-browser", "google-chrome");
        Optional<File> chromedriver = program("chromedriver");
        assumeTrue(
                chromium.isPresent() && chromedriver.isPresent(),
                "skipped: the page is looked at in a browser only where chromium and chromedriver are on the PATH");
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
                "--window-size=1400,1290");
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

    /** Opens the page and waits for its first look. */
    void open(String address) {
        driver.get(address);
        until("return document.querySelectorAll('.side').length === 2");
    }

    /** What the browser's console says. */
    List<LogEntry> errors() {
        return driver.manage().logs().get("browser").getAll().stream()
                .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
                .toList();
    }

    /** The addresses of all that was asked for. */
    List<String> requests() {
        return driver.manage().logs().get("performance").getAll().stream()
                .map(entry -> REQUEST.matcher(entry.getMessage()))
                .filter(Matcher::find)
                .map(found -> found.group(1))
                .toList();
    }

    Object js(String script, Object... arguments) {
        return driver.executeScript(script, arguments);
    }

    /** Waits until a script gives true. */
    void until(String script, Object... arguments) {
        await().atMost(PATIENCE).until(() -> Boolean.TRUE.equals(js(script, arguments)));
    }

    /** A number of the last look, such as {@code sides[0].open}. */
    long number(String path) {
        return Math.round(((Number) js("return looks.at(-1)." + path)).doubleValue());
    }

    WebElement find(String css) {
        return driver.findElement(By.cssSelector(css));
    }

    /** Pretends that the reader likes it light, or dark. */
    void prefers(String scheme) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    /** Keeps what it looks like. */
    void picture(Path file) throws IOException {
        Files.write(file, driver.getScreenshotAs(OutputType.BYTES));
    }

    @Override
    public void close() {
        driver.quit();
    }
}
