package dev.reservoir.dsql.standard;

import com.zaxxer.hikari.SQLExceptionOverride;
import java.sql.SQLException;

/**
 * Tells HikariCP to keep a connection after an unsupported statement. DSQL does not support many statements, and the
 * connection remains usable.
 */
final class HikariErrors implements SQLExceptionOverride {
    @java.lang.Override
    public Override adjudicate(SQLException error) {
        return "0A000".equals(error.getSQLState()) ? Override.DO_NOT_EVICT : Override.CONTINUE_EVICT;
    }
}
