package dev.reservoir.dsql.standard;

import com.zaxxer.hikari.SQLExceptionOverride;
import java.sql.SQLException;

/** Tells HikariCP that a statement which DSQL does not support, as many are not, is no reason to throw a connection away. */
final class HikariErrors implements SQLExceptionOverride {
    @java.lang.Override
    public Override adjudicate(SQLException error) {
        return "0A000".equals(error.getSQLState()) ? Override.DO_NOT_EVICT : Override.CONTINUE_EVICT;
    }
}
