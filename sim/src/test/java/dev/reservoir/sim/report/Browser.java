package dev.reservoir.sim.report;

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
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;

/** A Chromium without a window, if one is installed, with a new and empty profile. Never downloads anything. */
final class Browser implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** It warns of browsers that are newer than itself, which does not matter here. Held, since the level goes with it. */
    private static final Logger CDP = Logger.getLogger("org.openqa.selenium.devtools.CdpVersionFinder");

    private final ChromeDriver driver;
    private final Path files;

    private Browser(ChromeDriver driver, Path files) {
        this.driver = driver;
        this.files = files;
    }

    /** Starts one; skips the test where none is installed. */
    static Browser start(Path files) {
        Optional<File> chromium = program("chromium", "chromium-browser", "google-chrome");
        Optional<File> chromedriver = program("chromedriver");
        assumeTrue(
                chromium.isPresent() && chromedriver.isPresent(),
                "skipped: the report is looked at in a browser only where chromium and chromedriver are on the PATH");
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
                "--window-size=1400,1000");
        options.setCapability("goog:loggingPrefs", Map.of("browser", "ALL", "performance", "ALL"));
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(chromedriver.get())
                .usingAnyFreePort()
                .build();
        return new Browser(new ChromeDriver(service, options), files);
    }

    private static Optional<File> program(String... names) {
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Arrays.stream(names)
                .flatMap(name -> Arrays.stream(path.split(File.pathSeparator)).map(dir -> new File(dir, name)))
                .filter(File::canExecute)
                .findFirst();
    }

    /** Opens a page from a file, and forgets what was logged before. */
    void open(String page) throws IOException {
        Path file = Files.writeString(Files.createTempFile(files, "report", ".html"), page);
        driver.manage().logs().get("browser");
        driver.manage().logs().get("performance");
        driver.get(file.toUri().toString());
        until("return document.querySelectorAll('canvas').length > 0 && document.readyState === 'complete'");
    }

    /** What the browser's console says. */
    List<LogEntry> errors() {
        return driver.manage().logs().get("browser").getAll().stream()
                .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
                .toList();
    }

    /** The addresses of all that was asked for since the page was opened, the page itself first. */
    List<String> requests() {
        return driver.manage().logs().get("performance").getAll().stream()
                .map(LogEntry::getMessage)
                .filter(message -> message.contains("\"Network.requestWillBeSent\""))
                .map(message -> Json.read(message).get("message").get("params"))
                .map(params -> params.get("request").get("url").text())
                .toList();
    }

    /** Runs a script's body and gives what it returns. */
    Object js(String script, Object... arguments) {
        return driver.executeScript(script, arguments);
    }

    /** Waits until a script gives true. */
    void until(String script, Object... arguments) {
        await().atMost(PATIENCE).until(() -> Boolean.TRUE.equals(js(script, arguments)));
    }

    /** As {@link #until}, doing something before each look. */
    void until(Runnable before, String script, Object... arguments) {
        await().atMost(PATIENCE).until(() -> {
            before.run();
            return Boolean.TRUE.equals(js(script, arguments));
        });
    }

    WebElement find(String css) {
        return driver.findElement(By.cssSelector(css));
    }

    List<WebElement> findAll(String css) {
        return driver.findElements(By.cssSelector(css));
    }

    /** Does something with the pointer and the keys. */
    Actions act() {
        return new Actions(driver);
    }

    /** Brings a chart into sight. */
    WebElement chart(String name) {
        WebElement canvas = find("canvas[data-chart=" + name + "]");
        js("arguments[0].scrollIntoView({ block: 'center' })", canvas);
        return canvas;
    }

    /** Pretends that the reader likes it light, or dark. */
    void prefers(String scheme) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    @Override
    public void close() {
        driver.quit();
    }
}
