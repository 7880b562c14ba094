package dev.reservoir.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * The engine with one rule changed, and the unchanged simulator on top of it. The source of the planner is changed in
 * memory, compiled, and put first in a class loader that shares no class with this one.
 */
public final class ChangedEngine implements AutoCloseable {
    private static final String PLANNER = "dev/reservoir/core/internal/keeper/Planner.java";

    private final URLClassLoader loader;

    private ChangedEngine(URLClassLoader loader) {
        this.loader = loader;
    }

    /** Replaces a piece of the planner's source, which must occur exactly once. */
    public static ChangedEngine with(Path folder, String rule, String otherRule) throws IOException {
        Path sources = Path.of(System.getProperty("basedir", ""), "..", "core", "src", "main", "java");
        String planner = Files.readString(sources.resolve(PLANNER));
        assertThat(planner.split(Pattern.quote(rule), -1))
                .as("the planner's source has the rule '%s' once", rule)
                .hasSize(2);
        Path source = folder.resolve("sources").resolve(PLANNER);
        Files.createDirectories(source.getParent());
        Files.writeString(source, planner.replace(rule, otherRule));
        Path classes = Files.createDirectories(folder.resolve("classes"));
        compile(source, classes);
        List<URL> path = new ArrayList<>();
        path.add(classes.toUri().toURL());
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            path.add(url(entry));
        }
        return new ChangedEngine(new URLClassLoader(path.toArray(new URL[0]), ClassLoader.getPlatformClassLoader()));
    }

    private static URL url(String entry) throws MalformedURLException {
        return Path.of(entry).toUri().toURL();
    }

    private static void compile(Path source, Path classes) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            List<String> options =
                    List.of("-proc:none", "-d", classes.toString(), "-cp", System.getProperty("java.class.path"));
            assertThat(compiler.getTask(null, files, null, options, null, files.getJavaFileObjects(source))
                            .call())
                    .isTrue();
        }
    }

    /** Calls a static method of this module that takes and returns strings. */
    public String call(Class<?> type, String method, String... args) throws ReflectiveOperationException {
        Class<?> there = Class.forName(type.getName(), true, loader);
        assertThat(there).isNotSameAs(type);
        try {
            return (String) there.getMethod(method, String[].class).invoke(null, (Object) args);
        } catch (InvocationTargetException e) {
            throw new AssertionError("in the changed engine", e.getCause());
        }
    }

    @Override
    public void close() throws IOException {
        loader.close();
    }
}
