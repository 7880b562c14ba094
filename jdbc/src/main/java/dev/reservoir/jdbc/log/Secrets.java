package dev.reservoir.jdbc.log;

import java.sql.SQLException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Keeps passwords out of everything that is shown. */
public final class Secrets {
    public static final String HIDDEN = "***";

    /** What drivers call a secret in a URL. */
    private static final String SECRET_KEY =
            "(?:[^=?&;:(,]*(?:password|passwd|pwd|passphrase|secret|token|credential|api[_-]?key)[^=?&;]*|pass)=";

    /** The value ends at the next separator, */
    private static final Pattern PARAMETER = Pattern.compile("(?i)([?&;:]" + SECRET_KEY + ")[^&;]*");

    /** and within parentheses with them. */
    private static final Pattern IN_PARENTHESES = Pattern.compile("(?i)([(,]" + SECRET_KEY + ")[^&;)]*");

    /** {@code //user:password@host}, and Oracle's {@code user/password@host}. */
    private static final Pattern USER_INFO = Pattern.compile("(//[^/?#@:]*:)[^/?#]*@");

    private static final Pattern ORACLE_LOGIN = Pattern.compile("(?i)(jdbc:oracle:[a-z]+:[^/@]+/)[^@]+@");
    private static final int CHAIN_MAX = 50;

    /** Shorter ones stand in every text by chance. */
    private static final int SECRET_LENGTH_MIN = 3;

    private Secrets() {}

    /** The URL without the secrets in it. */
    public static String maskUrl(String url) {
        String masked = USER_INFO.matcher(url).replaceAll("$1" + HIDDEN + "@");
        masked = ORACLE_LOGIN.matcher(masked).replaceAll("$1" + HIDDEN + "@");
        masked = PARAMETER.matcher(masked).replaceAll("$1" + HIDDEN);
        return IN_PARENTHESES.matcher(masked).replaceAll("$1" + HIDDEN);
    }

    /** The text without this secret. */
    public static String mask(String text, @Nullable String secret) {
        return secret == null || secret.length() < SECRET_LENGTH_MIN ? text : text.replace(secret, HIDDEN);
    }

    /** The error itself, or, if anything in its chains shows the secret or the URL's secrets, a copy that does not. */
    public static SQLException clean(SQLException error, @Nullable String secret, @Nullable String url) {
        if (!shows(error, secret, url)) {
            return error;
        }
        String text = masked(String.valueOf(error.getMessage()), secret, url);
        SQLException copy = new SQLException(text, error.getSQLState(), error.getErrorCode());
        copy.setStackTrace(error.getStackTrace());
        return copy;
    }

    /** The same for an error that is the driver's own mistake; the copy names its class. */
    public static RuntimeException clean(RuntimeException error, @Nullable String secret, @Nullable String url) {
        if (!shows(error, secret, url)) {
            return error;
        }
        RuntimeException copy = new IllegalStateException(masked(error.toString(), secret, url));
        copy.setStackTrace(error.getStackTrace());
        return copy;
    }

    /** Along the causes, and along the exceptions that are linked to each of these. */
    private static boolean shows(Throwable error, @Nullable String secret, @Nullable String url) {
        Throwable t = error;
        for (int i = 0; i < CHAIN_MAX && t != null; i++) {
            Throwable linked = t;
            for (int j = 0; j < CHAIN_MAX && linked != null; j++) {
                String text = String.valueOf(linked.getMessage());
                if (!masked(text, secret, url).equals(text)) {
                    return true;
                }
                linked = linked instanceof SQLException e ? e.getNextException() : null;
            }
            t = t.getCause();
        }
        return false;
    }

    private static String masked(String text, @Nullable String secret, @Nullable String url) {
        String withoutUrl = url == null ? text : text.replace(url, maskUrl(url));
        return mask(withoutUrl, secret);
    }
}
