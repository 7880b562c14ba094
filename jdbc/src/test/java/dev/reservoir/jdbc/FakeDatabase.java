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
    /** How long the last validation was allowed to take. */
    volatile int validSeconds;

    public final List<FakeConnection> connections = new CopyOnWriteArrayList<>();
    public final List<Properties> logins = new CopyOnWriteArrayList<>();

    /** If set, what a connect throws. */
    public volatile SQLException refusal;

    /** If set, what a connect throws as a driver with a bug does. */
    public volatile RuntimeException crash;

    /** If set, what a connect waits for, whether it is interrupted or not. */
    public volatile CountDownLatch hang;

    /** If set, what a close waits for, until it is aborted. */
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

    /** One connection of it. Does nothing, and says that that went well. */
    public final class FakeConnection {
        public final List<String> calls = new CopyOnWriteArrayList<>();
        public volatile boolean closed;
        public volatile boolean aborted;
        public volatile boolean closeFails;
        public volatile boolean valid = true;

        /** If set, what a validation waits for, until it is interrupted. */
        volatile CountDownLatch validHang;

        /** What methods of these names throw. */
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

    /** Reaches databases by {@code jdbc:fake:<name>}, what follows a question mark aside. Does not register itself. */
    public static final class FakeDriver implements Driver {
        private static final Map<String, FakeDatabase> DATABASES = new ConcurrentHashMap<>();

        /** A new database of that name. */
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
