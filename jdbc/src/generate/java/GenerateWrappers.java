import java.io.IOException;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Array;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.NClob;
import java.sql.PreparedStatement;
import java.sql.Ref;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Writes the parts of the JDBC wrappers that only pass calls on. The base classes, written by hand, contain everything
 * else. This program writes all other methods of the interfaces, so that none is forgotten and every error is
 * classified.
 *
 * <p>Each method gets the object of the driver from one of four methods of the base class. These throw if the wrapper
 * is closed: {@code open}; {@code call} if the call may wait for the server; {@code run} if it may also start a
 * transaction; {@code expose} if it returns an object of the driver that may do so later. A method that may have waited
 * for the server ends with {@code end}, any other with {@code leave}. Rare methods pass a lambda to the base class,
 * which does the same.
 *
 * <p>Run it in the folder of the module, then format:
 *
 * <pre>
 * java src/generate/java/GenerateWrappers.java src/main/generated
 * mvn spotless:apply
 * </pre>
 */
public final class GenerateWrappers {
    /** Bounds the Java version to run on. Java 9 to 25 all have the interfaces of JDBC 4.3. */
    private static final int NEWEST_JAVA = 25;

    private static final String PACKAGE = "dev.reservoir.jdbc.wrap";

    /** The types whose objects can act by themselves, so that the wrappers cannot see what they do. */
    private static final Set<Class<?>> ACTING_BY_ITSELF =
            Set.of(Array.class, Blob.class, Clob.class, NClob.class, Ref.class, ResultSetMetaData.class);

    private static final Set<Class<?>> STATEMENTS =
            Set.of(Statement.class, PreparedStatement.class, CallableStatement.class);

    /** Calls that may start a transaction, besides those of the metadata and all that begin with "execute". */
    private static final Set<String> RUNNING = Set.of(
            "getCatalog",
            "getSchema",
            "setSavepoint",
            "releaseSavepoint",
            "rollback",
            "insertRow",
            "updateRow",
            "deleteRow",
            "refreshRow");

    /** Calls that start no transaction but may wait for the server. */
    private static final Set<String> CALLING = Set.of(
            "prepareCall",
            "prepareStatement",
            "getMoreResults",
            "next",
            "previous",
            "first",
            "last",
            "absolute",
            "relative",
            "beforeFirst",
            "afterLast");

    /** The accessors for calls that may wait for the server. */
    private static final Set<String> WAITING = Set.of("run", "call");

    /**
     * One wrapper.
     *
     * @param suffix distinguishes its accessors from those of the wrapper that it extends; empty if it extends a base
     *     class
     * @param byHand the methods of the base class, each as name/number of parameters
     */
    private record Wrapper(
            Class<?> api, String name, String modifier, String base, String owner, String suffix, Set<String> byHand) {}

    private static final List<Wrapper> WRAPPERS = List.of(
            new Wrapper(
                    Connection.class,
                    "WrappedConnection",
                    "public final ",
                    "SettingsBase",
                    "",
                    "",
                    Set.of(
                            "abort/1",
                            "beginRequest/0",
                            "close/0",
                            "commit/0",
                            "endRequest/0",
                            "getMetaData/0",
                            "getTypeMap/0",
                            "isClosed/0",
                            "isValid/1",
                            "isWrapperFor/1",
                            "rollback/0",
                            "setAutoCommit/1",
                            "setCatalog/1",
                            "setClientInfo/1",
                            "setClientInfo/2",
                            "setHoldability/1",
                            "setNetworkTimeout/2",
                            "setReadOnly/1",
                            "setSchema/1",
                            "setShardingKey/1",
                            "setShardingKey/2",
                            "setShardingKeyIfValid/2",
                            "setShardingKeyIfValid/3",
                            "getTransactionIsolation/0",
                            "setTransactionIsolation/1",
                            "setTypeMap/1",
                            "unwrap/1")),
            new Wrapper(
                    Statement.class,
                    "WrappedStatement",
                    "",
                    "StatementBase",
                    "ConnectionBase connection",
                    "",
                    Set.of(
                            "close/0",
                            "closeOnCompletion/0",
                            "getConnection/0",
                            "isClosed/0",
                            "isWrapperFor/1",
                            "unwrap/1")),
            new Wrapper(
                    PreparedStatement.class,
                    "WrappedPreparedStatement",
                    "",
                    "WrappedStatement",
                    "ConnectionBase connection",
                    "Prepared",
                    Set.of()),
            new Wrapper(
                    CallableStatement.class,
                    "WrappedCallableStatement",
                    "final ",
                    "WrappedPreparedStatement",
                    "ConnectionBase connection",
                    "Callable",
                    Set.of()),
            new Wrapper(
                    ResultSet.class,
                    "WrappedResultSet",
                    "final ",
                    "ResultSetBase",
                    "Tracked owner",
                    "",
                    Set.of("close/0", "getStatement/0", "isClosed/0", "isWrapperFor/1", "unwrap/1")),
            new Wrapper(
                    DatabaseMetaData.class,
                    "WrappedDatabaseMetaData",
                    "final ",
                    "MetaDataBase",
                    "ConnectionBase connection",
                    "",
                    Set.of(
                            "getConnection/0",
                            "getDriverMajorVersion/0",
                            "getDriverMinorVersion/0",
                            "isWrapperFor/1",
                            "unwrap/1")));

    private final Wrapper wrapper;
    private final Set<String> imports = new TreeSet<>();
    private final Set<String> accessors = new TreeSet<>();
    private final StringBuilder methods = new StringBuilder();

    private GenerateWrappers(Wrapper wrapper) {
        this.wrapper = wrapper;
    }

    public static void main(String[] args) throws IOException {
        if (args.length != 1) {
            throw new IllegalArgumentException(
                    "one argument is needed: the folder of the sources, as in src/main/generated");
        }
        if (Runtime.version().feature() > NEWEST_JAVA) {
            throw new IllegalStateException("Java " + Runtime.version().feature()
                    + " may have a newer JDBC than 4.3; run this on Java 17 to " + NEWEST_JAVA);
        }
        Path folder = Path.of(args[0]).resolve(PACKAGE.replace('.', '/'));
        Files.createDirectories(folder);
        for (Wrapper wrapper : WRAPPERS) {
            Files.writeString(folder.resolve(wrapper.name() + ".java"), new GenerateWrappers(wrapper).write());
        }
    }

    private String write() {
        methodsToWrite().forEach(this::addMethod);
        String api = name(wrapper.api());
        imports.add(SQLException.class.getName());
        imports.add("org.jspecify.annotations.NullUnmarked");
        StringBuilder text =
                new StringBuilder("// Generated by src/generate/java/GenerateWrappers.java, which says how to"
                        + " do so again. Not to be edited.\n");
        text.append("package ").append(PACKAGE).append(";\n\n");
        imports.forEach(i -> text.append("import ").append(i).append(";\n"));
        text.append("\n/** Passes calls on to the driver's {@link ")
                .append(api)
                .append("}. JDBC does not say what may be null, so neither does this. */\n@NullUnmarked\n");
        text.append(wrapper.modifier()).append("class ").append(wrapper.name());
        text.append(" extends ").append(wrapper.base());
        text.append(wrapper.suffix().isEmpty() ? "" : " implements " + api).append(" {\n");
        addConstructor(text, api);
        addAccessors(text, api);
        return text.append(methods).append("}\n").toString();
    }

    /** Sorts the methods, so that their order does not depend on the JVM. */
    private List<Method> methodsToWrite() {
        Method[] all = wrapper.suffix().isEmpty()
                ? wrapper.api().getMethods()
                : wrapper.api().getDeclaredMethods();
        return Arrays.stream(all)
                .filter(m -> !Modifier.isStatic(m.getModifiers()))
                .filter(m -> !wrapper.byHand().contains(m.getName() + "/" + m.getParameterCount()))
                .sorted(Comparator.comparing(Method::getName)
                        .thenComparing(Method::getParameterCount)
                        .thenComparing(m -> Arrays.toString(m.getParameterTypes())))
                .toList();
    }

    private void addConstructor(StringBuilder text, String api) {
        boolean isConnection = wrapper.api() == Connection.class;
        String parameters = isConnection
                ? "PhysicalConnection physical, ConnectionOwner owner, boolean underPool"
                : wrapper.owner() + ", " + api + " raw";
        String arguments =
                isConnection ? "physical, owner, underPool" : wrapper.owner().split(" ")[1] + ", raw";
        String field = wrapper.suffix().toLowerCase(Locale.ROOT);
        if (!field.isEmpty()) {
            text.append("private final ").append(api).append(" ").append(field).append(";\n");
        }
        text.append(isConnection ? "\npublic " : "\n")
                .append(wrapper.name())
                .append("(")
                .append(parameters)
                .append(") {\n");
        text.append("super(").append(arguments).append(");\n");
        if (!field.isEmpty()) {
            text.append("this.").append(field).append(" = raw;\n");
        }
        text.append("}\n");
    }

    private void addAccessors(StringBuilder text, String api) {
        if (wrapper.suffix().isEmpty()) {
            return;
        }
        for (String accessor : accessors) {
            text.append("\nprivate ").append(api).append(" ").append(accessor).append(wrapper.suffix());
            text.append("() throws SQLException {\n").append(accessor).append("();\nreturn ");
            text.append(wrapper.suffix().toLowerCase(Locale.ROOT)).append(";\n}\n");
        }
    }

    private void addMethod(Method method) {
        String accessor = accessor(method);
        accessors.add(accessor);
        Type[] types = method.getGenericParameterTypes();
        StringBuilder parameters = new StringBuilder();
        StringBuilder arguments = new StringBuilder();
        for (int i = 0; i < types.length; i++) {
            String separator = i == 0 ? "" : ", ";
            parameters.append(separator).append(name(types[i])).append(" ").append(argument(i));
            arguments.append(separator).append(argument(i));
        }
        String call = "raw." + method.getName() + "(" + arguments + ")";
        boolean isVoid = method.getReturnType() == void.class;
        methods.append(method.isAnnotationPresent(Deprecated.class) ? "\n@Deprecated" : "")
                .append("\n@Override\npublic ");
        methods.append(method.getTypeParameters().length > 0 ? "<T> " : "").append(name(method.getGenericReturnType()));
        methods.append(" ")
                .append(method.getName())
                .append("(")
                .append(parameters)
                .append(") throws SQLException {\n");
        if (wrapper.api() == DatabaseMetaData.class) {
            methods.append("return run(raw -> ").append(wrapped(method, call)).append(");\n}\n");
            return;
        }
        methods.append(name(wrapper.api()))
                .append(" raw = ")
                .append(accessor)
                .append(wrapper.suffix())
                .append("();\n");
        if (isRare(method)) {
            methods.append(isVoid ? "leaveAfter(() -> " + call : "return leaving(() -> " + wrapped(method, call))
                    .append(");\n}\n");
            return;
        }
        methods.append("try {\n")
                .append(isVoid ? call : "return " + wrapped(method, call))
                .append(";\n");
        methods.append("} catch (SQLException | Error failure) {\nthrow failed(failure);\n");
        methods.append("} finally {\n")
                .append(WAITING.contains(accessor) ? "end" : "leave")
                .append("();\n}\n}\n");
    }

    /** Whether the method is short instead of fast. No program calls these often. */
    private boolean isRare(Method method) {
        String name = method.getName();
        return wrapper.api() == CallableStatement.class
                || (wrapper.api() == ResultSet.class && name.startsWith("update") && !name.equals("updateRow"));
    }

    private String accessor(Method method) {
        String name = method.getName();
        boolean isMetaDataOfStatement = STATEMENTS.contains(wrapper.api()) && name.endsWith("MetaData");
        if (wrapper.api() == DatabaseMetaData.class
                || name.startsWith("execute")
                || isMetaDataOfStatement
                || RUNNING.contains(name)) {
            return "run";
        }
        if (CALLING.contains(name)) {
            return "call";
        }
        return ACTING_BY_ITSELF.contains(method.getReturnType()) ? "expose" : "open";
    }

    private static String wrapped(Method method, String call) {
        Class<?> type = method.getReturnType();
        if (STATEMENTS.contains(type) || type == ResultSet.class) {
            return "wrap(" + call + ")";
        }
        if (!method.getName().equals("getObject")) {
            return call;
        }
        boolean isTyped = method.getTypeParameters().length > 0;
        return "wrapValue(" + call + (isTyped ? ", " + argument(method.getParameterCount() - 1) : "") + ")";
    }

    private static String argument(int index) {
        return String.valueOf((char) ('a' + index));
    }

    /** Returns the type as it is written in a source file, and adds its imports. */
    private String name(Type type) {
        if (type instanceof Class<?> c) {
            if (c.isArray()) {
                return name(c.getComponentType()) + "[]";
            }
            if (!c.isPrimitive() && !c.getPackageName().equals("java.lang")) {
                imports.add(c.getName());
            }
            return c.getSimpleName();
        }
        if (type instanceof ParameterizedType p) {
            return name(p.getRawType())
                    + Arrays.stream(p.getActualTypeArguments())
                            .map(this::name)
                            .collect(Collectors.joining(", ", "<", ">"));
        }
        if (type instanceof GenericArrayType a) {
            return name(a.getGenericComponentType()) + "[]";
        }
        return type instanceof WildcardType ? "?" : type.getTypeName();
    }
}
