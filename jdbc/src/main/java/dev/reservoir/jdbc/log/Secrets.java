package dev.reservoir.jdbc.log;

import dev.reservoir.core.util.Causes;
import java.sql.SQLException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Removes passwords from everything that is shown. Never changes an exception of the driver; it makes a copy. */
public final class Secrets {
    public static final String HIDDEN = "***";

    /** The names that drivers use for a secret in a URL. */
    private static final String SECRET_KEY =
            "(?:[^=?&;:(,]*(?:password|passwd|pwd|passphrase|secret|token|credential|api[_-]?key)[^=?&;]*|pass)=";

    /** A parameter with a secret. Its value ends at the next separator. */
    private static final Pattern PARAMETER = Pattern.compile("(?i)([?&;:]" + SECRET_KEY + ")[^&;]*");

    /** A parameter in parentheses. Its value ends at the closing parenthesis or at the next separator. */
    private static final Pattern IN_PARENTHESES = Pattern.compile("(?i)([(,]" + SECRET_KEY + ")[^&;)]*");

    /** {@code //user:password@host}. The next pattern is Oracle's {@code user/password@host}. */
    private static final Pattern USER_INFO = Pattern.compile("(//[^/?#@:]*:)[^/?#]*@");

    private static final Pattern ORACLE_LOGIN = Pattern.compile("(?i)(jdbc:oracle:[a-z]+:[^/@]+/)[^@]+@");
    private static final int CHAIN_MAX = 50;

    /** Bounds the secrets that are masked. A shorter one appears in many texts by chance. */
    private static final int SECRET_LENGTH_MIN = 3;

    private Secrets() {}

    /** Returns the URL without its secrets. */
    public static String maskUrl(String url) {
        String masked = USER_INFO.matcher(url).replaceAll("$1" + HIDDEN + "@");
        masked = ORACLE_LOGIN.matcher(masked).replaceAll("$1" + HIDDEN + "@");
        masked = PARAMETER.matcher(masked).replaceAll("$1" + HIDDEN);
        return IN_PARENTHESES.matcher(masked).replaceAll("$1" + HIDDEN);
    }

    /** Returns the text without this secret. */
    public static String mask(String text, @Nullable String secret) {
        return secret == null || secret.length() < SECRET_LENGTH_MIN ? text : text.replace(secret, HIDDEN);
    }

    /**
     * Returns the error. If a message in its chains shows the secret or the secrets of the URL, returns a copy without
     * them.
     */
    public static SQLException clean(SQLException error, @Nullable String secret, @Nullable String url) {
        if (!shows(error, secret, url)) {
            return error;
        }
        String text = masked(String.valueOf(error.getMessage()), secret, url);
        SQLException copy = new SQLException(text, error.getSQLState(), error.getErrorCode());
        copy.setStackTrace(error.getStackTrace());
        return copy;
    }

    /** Does the same for an error that is a bug of the driver. The copy names the class of the error. */
    public static RuntimeException clean(RuntimeException error, @Nullable String secret, @Nullable String url) {
        if (!shows(error, secret, url)) {
            return error;
        }
        RuntimeException copy = new IllegalStateException(masked(error.toString(), secret, url));
        copy.setStackTrace(error.getStackTrace());
        return copy;
    }

    /** Follows the causes, and the exceptions linked to each of them. */
    private static boolean shows(Throwable error, @Nullable String secret, @Nullable String url) {
        for (Throwable t : Causes.of(error)) {
            Throwable linked = t;
            for (int j = 0; j < CHAIN_MAX && linked != null; j++) {
                String text = String.valueOf(linked.getMessage());
                if (!masked(text, secret, url).equals(text)) {
                    return true;
                }
                linked = linked instanceof SQLException e ? e.getNextException() : null;
            }
        }
        return false;
    }

    private static String masked(String text, @Nullable String secret, @Nullable String url) {
        String withoutUrl = url == null ? text : text.replace(url, maskUrl(url));
        return mask(withoutUrl, secret);
    }
}
