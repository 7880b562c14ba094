package dev.reservoir.remote.adapter.jdbc;

import dev.reservoir.core.util.Causes;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Removes a password from what a driver says. Never changes an exception of the driver; it makes a copy. */
final class PasswordMask {
    private static final String HIDDEN = "***";

    /** Shortest password that is masked. A shorter one appears in many texts by chance. */
    private static final int LENGTH_MIN = 3;

    /** Bounds a chain of linked exceptions, which may be circular. */
    private static final int LINKED_MAX = 50;

    private final @Nullable String password;

    PasswordMask(@Nullable String password) {
        this.password = password == null || password.length() < LENGTH_MIN ? null : password;
    }

    String mask(String text) {
        return password == null ? text : text.replace(password, HIDDEN);
    }

    /** Returns the error. If a message in its chains shows the password, returns a copy of it alone, without it. */
    SQLException clean(SQLException error) {
        if (password == null || !shows(error, password)) {
            return error;
        }
        SQLException copy =
                new SQLException(mask(String.valueOf(error.getMessage())), error.getSQLState(), error.getErrorCode());
        copy.setStackTrace(error.getStackTrace());
        return copy;
    }

    private static boolean shows(Throwable error, String password) {
        for (Throwable cause : Causes.of(error)) {
            Throwable linked = cause;
            for (int i = 0; i < LINKED_MAX && linked != null; i++) {
                if (String.valueOf(linked.getMessage()).contains(password)) {
                    return true;
                }
                linked = linked instanceof SQLException e ? e.getNextException() : null;
            }
        }
        return false;
    }
}
