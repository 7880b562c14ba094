package dev.reservoir.jdbc;

import java.io.PrintWriter;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** A database without a server. Connects succeed, fail or hang as a test wants, and everything is counted. */
public final class FakeDatabase implements DataSource {
    /** The timeout of the last validation. */
    volatile int validSeconds;

    public final List<FakeConnection> connections = new CopyOnWriteArrayList<>();
    public final List<Properties> logins = new CopyOnWriteArrayList<>();

    /** If set, a connect throws it. */
    public volatile SQLException refusal;

    /** If set, a connect throws it, as a driver with a bug does. */
    public volatile RuntimeException crash;

    /** If set, a connect waits for it and ignores interrupts. */
    public volatile CountDownLatch hang;

    /** If set, a close waits for it until it is aborted. */
    public volatile CountDownLatch closeHang;

    public volatile boolean autoCommit = true;
    public volatile boolean valid = true;
    public volatile boolean interrupted;

    Connection connect(Properties login) throws SQLException {
        logins.add(login);
        CountDownLatch latch = hang;
        while (latch != null && latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        SQLException error = refusal;
        if (error != null) {
            throw error;
        }
        RuntimeException bug = crash;
        if (bug != null) {
            throw bug;
        }
        FakeConnection connection = new FakeConnection();
        connections.add(connection);
        return connection.proxy;
    }

    public long openNow() {
        return connections.stream().filter(c -> !c.closed && !c.aborted).count();
    }

    /** One connection of this database. Does nothing and reports success. */
    public final class FakeConnection {
        public final List<String> calls = new CopyOnWriteArrayList<>();
        public volatile boolean closed;
        public volatile boolean aborted;
        public volatile boolean closeFails;
        public volatile boolean valid = true;

        /** If set, a validation waits for it until it is interrupted. */
        volatile CountDownLatch validHang;

        /** The exceptions that methods throw, by method name. */
        public final Map<String, Throwable> failures = new ConcurrentHashMap<>();

        public final Connection proxy = (Connection) Proxy.newProxyInstance(
                FakeDatabase.class.getClassLoader(), new Class<?>[] {Connection.class}, this::call);

        private Object call(Object self, Method method, Object[] arguments) throws Throwable {
            calls.add(method.getName());
            Throwable failure = failures.get(method.getName());
            if (failure != null) {
                throw failure;
            }
            return switch (method.getName()) {
                case "hashCode" -> System.identityHashCode(self);
                case "equals" -> self == arguments[0];
                case "toString" -> "FakeConnection";
                case "getAutoCommit" -> autoCommit;
                case "isValid" -> isValid((int) arguments[0]);
                case "isClosed" -> closed || aborted;
                case "close" -> close();
                case "abort" -> abort();
                default -> method.getReturnType() == boolean.class ? (Object) false : null;
            };
        }

        private boolean isValid(int timeoutSeconds) throws InterruptedException {
            validSeconds = timeoutSeconds;
            CountDownLatch latch = validHang;
            if (latch != null) {
                latch.await();
            }
            return valid && FakeDatabase.this.valid;
        }

        private Object close() throws InterruptedException, SQLException {
            if (closeFails) {
                throw new SQLException("close does not work", "08006");
            }
            CountDownLatch latch = closeHang;
            if (latch != null) {
                latch.await();
            }
            closed = true;
            return null;
        }

        private Object abort() {
            aborted = true;
            return null;
        }
    }

    @Override
    public Connection getConnection() throws SQLException {
        return connect(new Properties());
    }

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        Properties login = new Properties();
        login.setProperty("user", username);
        if (password != null) {
            login.setProperty("password", password);
        }
        return connect(login);
    }

    @Override
    public PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(PrintWriter out) {}

    @Override
    public void setLoginTimeout(int seconds) {}

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getGlobal();
    }

    @Override
    public <T> T unwrap(Class<T> type) {
        return type.cast(this);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return type.isInstance(this);
    }

    /**
     * Reaches databases by {@code jdbc:fake:<name>}. Ignores everything after a question mark. Does not register
     * itself.
     */
    public static final class FakeDriver implements Driver {
        private static final Map<String, FakeDatabase> DATABASES = new ConcurrentHashMap<>();

        /** Makes a new database of this name. */
        public static FakeDatabase database(String name) {
            FakeDatabase database = new FakeDatabase();
            DATABASES.put(name, database);
            return database;
        }

        @Override
        public Connection connect(String url, Properties info) throws SQLException {
            if (!acceptsURL(url)) {
                return null;
            }
            String name = url.substring("jdbc:fake:".length()).replaceAll("\\?.*", "");
            Properties login = new Properties();
            login.putAll(info);
            FakeDatabase database = DATABASES.get(name);
            return database == null ? null : database.connect(login);
        }

        @Override
        public boolean acceptsURL(String url) {
            return url.startsWith("jdbc:fake:");
        }

        @Override
        public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
            return new DriverPropertyInfo[0];
        }

        @Override
        public int getMajorVersion() {
            return 1;
        }

        @Override
        public int getMinorVersion() {
            return 0;
        }

        @Override
        public boolean jdbcCompliant() {
            return false;
        }

        @Override
        public Logger getParentLogger() {
            return Logger.getGlobal();
        }
    }
}
