package dev.reservoir.flightsql.jdbc;

import dev.reservoir.flightsql.FlightSqlException;
import dev.reservoir.flightsql.QueryResult;
import dev.reservoir.flightsql.Row;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringReader;
import java.math.BigDecimal;
import java.sql.Date;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.Calendar;
import org.jspecify.annotations.Nullable;

/**
 * The methods of {@link ResultSet} that a result supports. {@link ResultSetProxy} finds them by name and parameters,
 * and refuses all others. Getters take the number of a column; the proxy looks up those that take a name.
 *
 * <p>Forward only and read only. Values are those of {@link Row#get(int, Class)}; in addition they are converted to the
 * dates and times of {@code java.sql}. One thread at a time uses it, as it is with the result.
 */
public final class ResultSetView {
    private final QueryResult result;
    private final ColumnMetadata columns;
    private @Nullable Row row;

    /** A row that was read to see whether there is one, before the first call of {@link #next}. */
    private @Nullable Row ahead;

    private int rowNumber;
    private boolean ended;
    private boolean closed;
    private boolean lastWasNull;

    ResultSetView(QueryResult result) {
        this.result = result;
        columns = new ColumnMetadata(result.schema());
    }

    // Rows.

    public boolean next() throws SQLException {
        checkOpen();
        if (ended) {
            return false;
        }
        row = ahead != null ? ahead : read();
        ahead = null;
        ended = row == null;
        rowNumber += ended ? 0 : 1;
        return !ended;
    }

    private @Nullable Row read() throws SQLException {
        try {
            return result.nextRow();
        } catch (FlightSqlException e) {
            throw SqlErrors.of(e);
        }
    }

    public void close() {
        closed = true;
        row = null;
        ahead = null;
        result.close();
    }

    public boolean isClosed() {
        return closed;
    }

    public int getRow() throws SQLException {
        checkOpen();
        return ended ? 0 : rowNumber;
    }

    /** False for a result without rows, so it may have to wait for the first one. */
    public boolean isBeforeFirst() throws SQLException {
        checkOpen();
        if (rowNumber > 0 || ended) {
            return false;
        }
        if (ahead == null) {
            ahead = read();
            ended = ahead == null;
        }
        return !ended;
    }

    public boolean isFirst() throws SQLException {
        return getRow() == 1;
    }

    public boolean isAfterLast() throws SQLException {
        checkOpen();
        return ended && rowNumber > 0;
    }

    // Columns.

    public ResultSetMetaData getMetaData() throws SQLException {
        checkOpen();
        return columns;
    }

    public int findColumn(String name) throws SQLException {
        checkOpen();
        try {
            return result.column(name) + 1;
        } catch (FlightSqlException e) {
            throw SqlErrors.of(e);
        }
    }

    private <T> @Nullable T value(int column, Class<T> type, @Nullable Calendar calendar) throws SQLException {
        checkOpen();
        Row current = row;
        if (current == null) {
            throw new SQLException(ended ? "the result has no more rows" : "call next() first", SqlErrors.NO_ROW);
        }
        columns.check(column);
        try {
            Object plain = current.get(column - 1);
            lastWasNull = plain == null;
            T converted = JdbcValues.convert(plain, type, calendar);
            return converted != null || plain == null ? converted : current.get(column - 1, type);
        } catch (FlightSqlException e) {
            throw SqlErrors.of(e);
        }
    }

    private <T> @Nullable T value(int column, Class<T> type) throws SQLException {
        return value(column, type, null);
    }

    private <T> T valueOr(T ifNull, int column, Class<T> type) throws SQLException {
        T value = value(column, type);
        return value == null ? ifNull : value;
    }

    public boolean wasNull() throws SQLException {
        checkOpen();
        return lastWasNull;
    }

    public @Nullable Object getObject(int column) throws SQLException {
        return value(column, Object.class);
    }

    public <T> @Nullable T getObject(int column, Class<T> type) throws SQLException {
        return value(column, type);
    }

    public @Nullable String getString(int column) throws SQLException {
        return value(column, String.class);
    }

    public @Nullable String getNString(int column) throws SQLException {
        return getString(column);
    }

    public boolean getBoolean(int column) throws SQLException {
        return valueOr(false, column, Boolean.class);
    }

    public byte getByte(int column) throws SQLException {
        return valueOr((byte) 0, column, Byte.class);
    }

    public short getShort(int column) throws SQLException {
        return valueOr((short) 0, column, Short.class);
    }

    public int getInt(int column) throws SQLException {
        return valueOr(0, column, Integer.class);
    }

    public long getLong(int column) throws SQLException {
        return valueOr(0L, column, Long.class);
    }

    public float getFloat(int column) throws SQLException {
        return valueOr(0f, column, Float.class);
    }

    public double getDouble(int column) throws SQLException {
        return valueOr(0d, column, Double.class);
    }

    public @Nullable BigDecimal getBigDecimal(int column) throws SQLException {
        return value(column, BigDecimal.class);
    }

    public byte @Nullable [] getBytes(int column) throws SQLException {
        return value(column, byte[].class);
    }

    public @Nullable Date getDate(int column) throws SQLException {
        return value(column, Date.class);
    }

    public @Nullable Date getDate(int column, Calendar calendar) throws SQLException {
        return value(column, Date.class, calendar);
    }

    public @Nullable Time getTime(int column) throws SQLException {
        return value(column, Time.class);
    }

    public @Nullable Time getTime(int column, Calendar calendar) throws SQLException {
        return value(column, Time.class, calendar);
    }

    public @Nullable Timestamp getTimestamp(int column) throws SQLException {
        return value(column, Timestamp.class);
    }

    public @Nullable Timestamp getTimestamp(int column, Calendar calendar) throws SQLException {
        return value(column, Timestamp.class, calendar);
    }

    public @Nullable InputStream getBinaryStream(int column) throws SQLException {
        byte[] bytes = getBytes(column);
        return bytes == null ? null : new ByteArrayInputStream(bytes);
    }

    public @Nullable Reader getCharacterStream(int column) throws SQLException {
        String text = getString(column);
        return text == null ? null : new StringReader(text);
    }

    public @Nullable Reader getNCharacterStream(int column) throws SQLException {
        return getCharacterStream(column);
    }

    // What the result set is.

    /** A result of a pool has no JDBC statement. */
    public @Nullable Statement getStatement() throws SQLException {
        checkOpen();
        return null;
    }

    public int getType() throws SQLException {
        checkOpen();
        return ResultSet.TYPE_FORWARD_ONLY;
    }

    public int getConcurrency() throws SQLException {
        checkOpen();
        return ResultSet.CONCUR_READ_ONLY;
    }

    public int getHoldability() throws SQLException {
        checkOpen();
        return ResultSet.CLOSE_CURSORS_AT_COMMIT;
    }

    public int getFetchDirection() throws SQLException {
        checkOpen();
        return ResultSet.FETCH_FORWARD;
    }

    public void setFetchDirection(int direction) throws SQLException {
        checkOpen();
        if (direction != ResultSet.FETCH_FORWARD) {
            throw new SQLFeatureNotSupportedException("the result is read forward only", SqlErrors.NOT_SUPPORTED);
        }
    }

    /** The server chooses how many rows it sends at once. */
    public int getFetchSize() throws SQLException {
        checkOpen();
        return 0;
    }

    /** A hint that is not used. */
    public void setFetchSize(int rows) throws SQLException {
        checkOpen();
        if (rows < 0) {
            throw new SQLException("fetchSize is " + rows + "; allowed: 0 or more", SqlErrors.BAD_ARGUMENT);
        }
    }

    public @Nullable SQLWarning getWarnings() throws SQLException {
        checkOpen();
        return null;
    }

    public void clearWarnings() throws SQLException {
        checkOpen();
    }

    public boolean rowUpdated() throws SQLException {
        checkOpen();
        return false;
    }

    public boolean rowInserted() throws SQLException {
        checkOpen();
        return false;
    }

    public boolean rowDeleted() throws SQLException {
        checkOpen();
        return false;
    }

    public <T> T unwrap(Class<T> type) throws SQLException {
        if (type.isInstance(result)) {
            return type.cast(result);
        }
        throw new SQLException("the result set wraps a QueryResult and no " + type.getName(), SqlErrors.BAD_ARGUMENT);
    }

    public boolean isWrapperFor(Class<?> type) {
        return type.isInstance(result);
    }

    private void checkOpen() throws SQLException {
        if (closed) {
            throw new SQLException("the result set is closed", SqlErrors.NO_ROW);
        }
    }
}
