package dev.reservoir.jdbc.config;

import dev.reservoir.jdbc.config.SettingType.Methods;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Writes the methods that builder, bean and JMX have for each setting, and its row in the documentation. */
final class SettingSources {
    private static final int WIDTH = 120;
    private static final String ROOT = "dev.reservoir.jdbc";

    private final StringBuilder body = new StringBuilder();
    private final Set<String> imports = new TreeSet<>();

    private SettingSources() {}

    // Files.

    static String builder() {
        return new SettingSources().file(ROOT, """
                /**
                 * The methods of a {@link ReservoirDataSourceBuilder} that set one setting each. No method blocks.
                 *
                 * @param <B> the builder
                 */
                public abstract sealed class SettingsBuilder<B extends SettingsBuilder<B>> permits ReservoirDataSourceBuilder {
                    SettingsBuilder() {}

                    abstract <T> B set(Setting<T> setting, T value);

                    abstract B setText(Setting<?> setting, String text);
                """, sources -> sources.add(setting -> true, sources::builderMethods));
    }

    static String bean() {
        return new SettingSources().file(ROOT, """
                /**
                 * The settings of a {@link ReservoirDataSource} as a bean, for frameworks that configure it by setters. Durations are
                 * strings here, such as {@code 11m}, {@code 250ms} or {@code PT11M}, because every framework can pass a string. A
                 * getter returns the value that was set, or the default. The password has no getter. No method blocks.
                 *
                 * <p>Settings are checked at the start, so setters may be called in any order. After the start, targets, user and
                 * password, timeouts and lifetimes can still be changed, and the change takes effect soon. A value that is not allowed
                 * then throws {@link IllegalArgumentException} and changes nothing. Every other setter then throws
                 * {@link IllegalStateException}.
                 */
                public abstract sealed class DataSourceBean permits ReservoirDataSource {
                    DataSourceBean() {}

                    /** Returns the value that was set, or null. */
                    abstract <T> @Nullable T given(Setting<T> setting);

                    /** Returns the value that was set, or the default. */
                    abstract <T> T get(Setting<T> setting);

                    /** Returns the value that was set as text, or null. */
                    abstract @Nullable String givenText(Setting<?> setting);

                    /** Returns the value that was set, or the default, as text. */
                    abstract String getText(Setting<?> setting);

                    abstract <T> void set(Setting<T> setting, @Nullable T value);

                    abstract <T> void setText(Setting<T> setting, @Nullable String text);

                    /** Sets an object, or the name of its class. */
                    abstract void setAny(Setting<Object> setting, @Nullable Object value);
                """, sources -> sources.add(setting -> true, sources::beanMethods));
    }

    static String liveSettings() {
        return new SettingSources().file(ROOT, """
                /** The settings that JMX can change while the data source runs. Durations are text. No method blocks. */
                public interface LiveSettings {
                """, sources -> sources.add(Setting::isInJmx, sources::jmxAttribute));
    }

    static String liveSettingsJmx() {
        return new SettingSources()
                .file(ROOT + ".pool", """
                /** Shows and changes settings of a running data source. Never checks a value itself. */
                abstract class LiveSettingsJmx implements LiveSettings {
                    final ReservoirDataSource dataSource;

                    LiveSettingsJmx(ReservoirDataSource dataSource) {
                        this.dataSource = dataSource;
                    }

                    /** Makes a change. An error is of a class of the JDK, because a client has no others. */
                    static void change(Runnable change) {
                        read(() -> {
                            change.run();
                            return true;
                        });
                    }

                    /** Reads something. An error is of a class of the JDK. */
                    static <R> R read(Supplier<R> reader) {
                        try {
                            return reader.get();
                        } catch (SettingException e) {
                            throw new IllegalArgumentException(e.getMessage());
                        }
                    }
                """, sources -> sources.add(Setting::isInJmx, sources::jmxMethods));
    }

    /** Returns the documentation with the tables of the settings as they are now. */
    static String docs(String page) {
        String text = page;
        for (Setting.Section section : Setting.Section.values()) {
            int heading = text.indexOf("\n### " + section.title() + "\n");
            int from = text.indexOf("\n| setting |", heading) + 1;
            int to = text.indexOf("\n\n", from) + 1;
            if (heading < 0 || from == 0) {
                throw new IllegalStateException("no table under the heading " + section.title());
            }
            text = text.substring(0, from) + table(section) + text.substring(to);
        }
        return text;
    }

    private static String table(Setting.Section section) {
        return "| setting | variable | default | allowed | what it does | live |\n|---|---|---|---|---|---|\n"
                + DataSourceSettings.all().stream()
                        .filter(setting -> setting.section() == section)
                        .map(SettingSources::row)
                        .collect(Collectors.joining());
    }

    private static String row(Setting<?> setting) {
        String variable = setting.isText() ? "`RESERVOIR_" + setting.variable() + "` " : "";
        String byDefault = setting.defaultInDocs().isEmpty() ? "" : setting.defaultInDocs() + " ";
        return "| `" + setting.key() + "` | " + variable + "| " + byDefault + "| " + setting.allowedInDocs() + " | "
                + setting.doc() + " | " + (setting.isLive() ? "yes" : "no") + " |\n";
    }

    private String file(String packageName, String head, Consumer<SettingSources> content) {
        body.append(head);
        content.accept(this);
        body.append("}\n");
        use("dev.reservoir.core.SettingException", packageName);
        use("dev.reservoir.jdbc.ReservoirDataSource", packageName);
        use("dev.reservoir.jdbc.LiveSettings", packageName);
        use("dev.reservoir.jdbc.config.DataSourceSettings", packageName);
        use("dev.reservoir.jdbc.config.Setting", packageName);
        use("dev.reservoir.jdbc.log.Secrets", packageName);
        use("java.util.function.Supplier", packageName);
        use("org.jspecify.annotations.Nullable", packageName);
        imports.removeIf(name -> name.substring(0, name.lastIndexOf('.')).equals(packageName));
        return "// Generated from DataSourceSettings by GeneratedSettingsTest, which says how to do so again. Not to be"
                + " edited.\npackage " + packageName + ";\n\n"
                + imports.stream().map(name -> "import " + name + ";\n").collect(Collectors.joining())
                + (imports.isEmpty() ? "" : "\n")
                + body;
    }

    /** Imports the class if the body names it. */
    private void use(String className, String packageName) {
        String simple = className.substring(className.lastIndexOf('.') + 1);
        if (body.toString().matches("(?s).*\\b" + simple + "\\b.*")
                && !className.startsWith(packageName + "." + simple)) {
            imports.add(className);
        }
    }

    private void add(Predicate<Setting<?>> which, Consumer<Setting<?>> methods) {
        DataSourceSettings.all().stream()
                .filter(which)
                .filter(setting -> setting.type().methods() != Methods.BY_HAND)
                .forEach(methods);
    }

    // Methods.

    private void builderMethods(Setting<?> setting) {
        String key = setting.key();
        switch (setting.type().methods()) {
            case TEXT ->
                method(doc(setting), "public B " + key + "(String value)", "return setText(%s, value);", setting);
            case CLASS_NAMES ->
                method(
                        classNames(setting),
                        "public B " + key + "(String classNames)",
                        "return setText(%s, classNames);",
                        setting);
            case OBJECT_OR_CLASS_NAME -> {
                String type = type(setting);
                method(doc(setting), "public B " + key + "(" + type + " value)", "return set(%s, value);", setting);
                method(
                        "Does the same as {@link #" + key + "(" + type
                                + ")}, with the name of a class that has a public" + " constructor without parameters.",
                        "public B " + key + "(String className)",
                        "return setText(%s, className);",
                        setting);
            }
            default ->
                method(
                        doc(setting),
                        "public B " + key + "(" + type(setting) + " value)",
                        "return set(%s, value);",
                        setting);
        }
    }

    private void beanMethods(Setting<?> setting) {
        String name = capitalized(setting.key());
        String setter = "public void set" + name;
        String getter = "public @Nullable String get" + name + "()";
        switch (setting.type().methods()) {
            case TEXT -> {
                method(doc(setting), setter + "(@Nullable String value)", "setText(%s, value);", setting);
                method(null, getter, "return givenText(%s);", setting);
            }
            case TEXT_IN_BEAN -> {
                method(doc(setting), setter + "(String value)", "setText(%s, value);", setting);
                method(null, "public String get" + name + "()", "return getText(%s);", setting);
            }
            case CLASS_NAMES -> {
                method(classNames(setting), setter + "(@Nullable String classNames)", "set(%s, classNames);", setting);
                method("Returns the class names that were set.", getter, "return given(%s);", setting);
            }
            case URL -> {
                method(doc(setting), setter + "(@Nullable String value)", "set(%s, value);", setting);
                method(
                        "Returns the URL without its secrets.",
                        getter,
                        "String value = given(%s);\n        return value == null ? null : Secrets.maskUrl(value);",
                        setting);
            }
            case SECRET -> method(doc(setting), setter + "(@Nullable String value)", "set(%s, value);", setting);
            case OBJECT -> method(doc(setting), setter + "(" + type(setting) + " value)", "set(%s, value);", setting);
            case OBJECT_OR_CLASS_NAME -> {
                String type = type(setting);
                method(doc(setting), setter + "(" + type + " value)", "set(%s, value);", setting);
                method(
                        "Does the same, for frameworks: takes a {@code " + type + "}, or the name of a class that"
                                + " implements it and has a public constructor without parameters.",
                        setter + "(@Nullable Object value)",
                        "setAny(%s, value);",
                        setting);
                method(
                        "Returns what was set: the object, or the name of its class.",
                        "public @Nullable Object get" + name + "()",
                        "return given(%s);",
                        setting);
            }
            default -> {
                boolean isPlain = setting.hasDefault();
                String type = isPlain
                        ? type(setting)
                        : "@Nullable " + setting.type().value().getSimpleName();
                String prefix = type.equals("boolean") ? "is" : "get";
                method(doc(setting), setter + "(" + type + " value)", "set(%s, value);", setting);
                method(
                        null,
                        "public " + type + " " + prefix + name + "()",
                        isPlain ? "return get(%s);" : "return given(%s);",
                        setting);
            }
        }
    }

    private void jmxAttribute(Setting<?> setting) {
        String name = capitalized(setting.key());
        String type = setting.type().methods() == Methods.TEXT_IN_BEAN ? "String" : type(setting);
        separate();
        javadoc("Returns " + sentence(setting.doc()));
        body.append("    ").append(type).append(" get").append(name).append("();\n\n");
        javadoc("Changes {@code " + setting.key() + "}. Takes effect soon.");
        body.append("    void set").append(name).append("(").append(type).append(" value);\n");
    }

    private void jmxMethods(Setting<?> setting) {
        String name = capitalized(setting.key());
        String type = setting.type().methods() == Methods.TEXT_IN_BEAN ? "String" : type(setting);
        body.append("\n    @Override");
        body.append("\n    public ").append(type).append(" get").append(name).append("() {\n");
        body.append("        return dataSource.get").append(name).append("();\n    }\n");
        body.append("\n    @Override");
        body.append("\n    public void set")
                .append(name)
                .append("(")
                .append(type)
                .append(" value) {\n");
        body.append("        change(() -> dataSource.set").append(name).append("(value));\n    }\n");
    }

    private void method(@Nullable String doc, String signature, String statement, Setting<?> setting) {
        separate();
        if (doc != null) {
            javadoc(doc);
        }
        body.append("    ").append(signature).append(" {\n        ");
        body.append(String.format(Locale.ROOT, statement, "DataSourceSettings." + setting.variable()));
        body.append("\n    }\n");
    }

    private void separate() {
        if (!body.toString().endsWith("{\n")) {
            body.append("\n");
        }
    }

    /** The Java type of a value, as the builder takes it. */
    private String type(Setting<?> setting) {
        Class<?> type = setting.type().value();
        if (type == Integer.class) {
            return "int";
        }
        if (type == Double.class || type == Boolean.class) {
            return type.getSimpleName().toLowerCase(Locale.ROOT);
        }
        if (!type.getPackageName().equals("java.lang")) {
            imports.add(type.getName());
        }
        return type.getSimpleName();
    }

    private static String capitalized(String key) {
        return Character.toUpperCase(key.charAt(0)) + key.substring(1);
    }

    // Javadoc.

    private static String doc(Setting<?> setting) {
        String allowed = setting.allowedInDocs().replace("; in code only", "");
        return "Sets " + sentence(setting.doc())
                + (setting.defaultInDocs().isEmpty() ? "" : " Default: " + sentence(setting.defaultInDocs()))
                + (allowed.equals("any") ? "" : " Allowed: " + sentence(allowed))
                + (setting.isLive() ? " Can be changed while the data source runs." : "");
    }

    private static String classNames(Setting<?> setting) {
        return "Sets " + plain(setting.doc()) + ", by the names of their classes with commas between them. Each class"
                + " needs a public constructor without parameters. Replaces those that were named before.";
    }

    private static String sentence(String markdown) {
        return plain(markdown) + (markdown.endsWith(".") ? "" : ".");
    }

    /** Turns Markdown into Javadoc. */
    private static String plain(String markdown) {
        return markdown.replaceAll("; see \\[[^]]*]\\([^)]*\\)", "")
                .replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
                .replaceAll("`([^`]*)`", "{@code $1}");
    }

    private void javadoc(String text) {
        String oneLine = "    /** " + text + " */";
        if (oneLine.length() <= WIDTH) {
            body.append(oneLine).append("\n");
            return;
        }
        body.append("    /**\n");
        StringBuilder line = new StringBuilder("     *");
        for (String word : text.split(" (?![^{]*})", -1)) {
            if (line.length() + 1 + word.length() > WIDTH) {
                body.append(line).append("\n");
                line = new StringBuilder("     *");
            }
            line.append(" ").append(word);
        }
        body.append(line).append("\n     */\n");
    }
}
