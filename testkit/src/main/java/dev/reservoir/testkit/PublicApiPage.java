package dev.reservoir.testkit;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.lang.module.ModuleDescriptor.Exports;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReader;
import java.lang.module.ModuleReference;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The page of public types, and what a module really exports. Tests compare the two. */
public final class PublicApiPage {
    private static final Path PAGE = Path.of("..", "docs", "public-api.md");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `([a-z.]+)` \\| ([^|]+) \\|");
    private static final Pattern TYPE = Pattern.compile("`([A-Za-z]+)`");

    private PublicApiPage() {}

    /** The types that the page lists for the packages that are wanted. Their names have no {@code dev.reservoir}. */
    public static Set<String> listedTypes(Predicate<String> isWanted) throws IOException {
        Set<String> listed = new TreeSet<>();
        for (Matcher row = ROW.matcher(Files.readString(PAGE)); row.find(); ) {
            if (isWanted.test(row.group(1))) {
                for (Matcher type = TYPE.matcher(row.group(2)); type.find(); ) {
                    listed.add("dev.reservoir." + row.group(1) + "." + type.group(1));
                }
            }
        }
        return listed;
    }

    /** The public top-level types in the exported packages of the module that this class belongs to. */
    public static Set<String> exportedTypes(Class<?> ofModule) throws IOException, URISyntaxException {
        Path place = Path.of(
                ofModule.getProtectionDomain().getCodeSource().getLocation().toURI());
        // Reads the classes without loading them, because libraries that they may use are optional.
        JavaClasses classes = new ClassFileImporter().importPath(place);
        ModuleReference module = ModuleFinder.of(place).findAll().iterator().next();
        Set<String> packages = module.descriptor().exports().stream()
                .filter(exports -> !exports.isQualified())
                .map(Exports::source)
                .collect(Collectors.toSet());
        try (ModuleReader reader = module.open()) {
            return reader.list()
                    .filter(file -> file.endsWith(".class") && !file.contains("$") && file.contains("/"))
                    .map(file ->
                            file.substring(0, file.length() - ".class".length()).replace('/', '.'))
                    .filter(name -> packages.contains(name.substring(0, name.lastIndexOf('.'))))
                    .filter(name -> classes.get(name).getModifiers().contains(JavaModifier.PUBLIC))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }
}
